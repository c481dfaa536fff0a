import { Fault } from "../../schemas/fault.ts";
import type { LlmRecipe } from "../../schemas/recipe/llm.ts";

/** One OpenAI-compatible endpoint and how to ask it. An empty `baseUrl` or `model` means that none is configured. */
export interface EndpointSettings {
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as bearer token; null sends none. In no key, row, ledger or message. */
  readonly apiKey: string | null;
  readonly temperature: number;
  readonly topP: number | null;
  /** Sample i of a request is sent `seed + i`, else all samples of a seeded request would be the same. */
  readonly seed: number | null;
  /** Added to the body; null removes a field. */
  readonly extraBody: Record<string, unknown>;
  readonly replyLimitField?: "max_tokens" | "max_completion_tokens";
  /** Replies come in pieces as they are written; they mean the same, and a stalled one is noticed sooner. */
  readonly stream?: boolean;
  /** Calls in flight at once, at most. */
  readonly concurrency: number;
  /** Attempts per call, the first included. */
  readonly maxAttempts: number;
  /** Whole attempt, from connect to last byte. */
  readonly timeoutMs: number;
  /** Silence between two parts of a body that has begun. */
  readonly idleTimeoutMs?: number;
  readonly budget: { readonly tokens: number | null; readonly money: number | null; readonly currency: string };
  readonly price: { readonly inputPerMillion: number; readonly outputPerMillion: number } | null;
}

/** The recipe's `llm` with the environment filling what it leaves null. */
export function endpointFrom(recipe: LlmRecipe, env: Readonly<Record<string, string | undefined>>): EndpointSettings {
  const { apiKeyVariable, baseUrl, model, ...rest } = recipe;
  const variable = (name: string): string | null => env[name]?.trim() || null;
  return {
    ...rest,
    baseUrl: baseUrl ?? variable("CATGEN_BASE_URL") ?? "",
    model: model ?? variable("CATGEN_MODEL") ?? "",
    apiKey: variable(apiKeyVariable),
  };
}

/** Whether a backbone is configured at all; without one the built-in condenser does the work. */
export const hasEndpoint = (settings: EndpointSettings): boolean => settings.baseUrl !== "" && settings.model !== "";

/** Equal for spellings that name the same endpoint: host in lower case, no default port, no trailing slash, no method path. */
export function normaliseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : null;
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
  if (!plain) {
    // The value itself may hold a password or a token, so the message does not repeat it.
    throw new Fault(
      "ENDPOINT_MISSING",
      "stop",
      "llm.baseUrl (or CATGEN_BASE_URL) must look like https://host/v1, without user, password, query or fragment; put the key into CATGEN_API_KEY",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
}

/** Throws the `Fault` that says which setting is missing or contradicts another. */
export function checkEndpoint(settings: EndpointSettings): void {
  const missing = [settings.baseUrl === "" ? "CATGEN_BASE_URL" : null, settings.model === "" ? "CATGEN_MODEL" : null].filter(
    (name) => name !== null,
  );
  if (missing.length > 0) {
    const help = "(or the recipe's llm.baseUrl and llm.model) to an OpenAI-compatible endpoint, or use a condenser that needs no model";
    throw new Fault("ENDPOINT_MISSING", "stop", `a model is needed and no endpoint is configured: set ${missing.join(" and ")} ${help}`);
  }
  normaliseBaseUrl(settings.baseUrl);
  if (settings.apiKey !== null && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw new Fault(
      "ENDPOINT_AUTH",
      "stop",
      "the API key holds a character that no HTTP header may carry; set CATGEN_API_KEY anew, without quotes",
    );
  }
  if (settings.budget.money !== null && settings.price === null) {
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      "llm.budget.money needs llm.price (inputPerMillion, outputPerMillion); set it or drop the limit",
    );
  }
}

/** `text` without the key: endpoints like to repeat a wrong one. */
export const redact = (text: string, apiKey: string | null): string => (apiKey ? text.replaceAll(apiKey, "[api key]") : text);
