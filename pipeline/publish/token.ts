import { homedir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { readTextIfThere } from "../store/run-folder.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const publicHub = "https://huggingface.co";

/** Where the Hub's own tools keep the token. Source: huggingface_hub/constants.py. */
function tokenPath(env: Variables): string {
  const cache = env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return env["HF_TOKEN_PATH"] || join(env["HF_HOME"] || join(cache, "huggingface"), "token");
}

/** The token: CATGEN_HF_TOKEN, else HF_TOKEN, else what `hf auth login` left. Never from the command line, where others could read it. */
export async function hubToken(env: Variables = process.env): Promise<string | null> {
  const given = (env["CATGEN_HF_TOKEN"] || env["HF_TOKEN"] || (await readTextIfThere(tokenPath(env))) || "").trim();
  if (given === "") return null;
  if (given.startsWith("hf_")) return given;
  throw new Fault(
    "HUB_AUTH",
    "stop",
    "the hub's token (CATGEN_HF_TOKEN, HF_TOKEN or the hub's token file) must start with hf_; copy it anew",
  );
}

export async function requireHubToken(env: Variables = process.env): Promise<string> {
  const token = await hubToken(env);
  if (token !== null) return token;
  throw new Fault(
    "HUB_AUTH",
    "stop",
    "publishing needs a token: set HF_TOKEN (or CATGEN_HF_TOKEN) to one that may write, or log in with: hf auth login; tokens are made at https://huggingface.co/settings/tokens",
  );
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** The hub to talk to: --hub, else HF_ENDPOINT, else the public one; without a slash at its end. A token goes over TLS or stays on this machine. */
export function hubAddress(option: string | undefined, env: Variables = process.env): string {
  const given = option ?? (env["HF_ENDPOINT"] || publicHub);
  const url = URL.canParse(given) ? new URL(given) : null;
  if (
    url !== null &&
    url.username === "" &&
    url.search === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
  )
    return given.replace(/\/+$/, "");
  throw new Fault(
    "USAGE",
    "stop",
    `expected --hub (or HF_ENDPOINT) to be an https:// address such as ${publicHub}, got ${JSON.stringify(given.replace(/\/\/[^@/]*@/, "//"))}`,
  );
}
