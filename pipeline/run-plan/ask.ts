import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { LlmRecipe } from "../../schemas/recipe/llm.ts";
import type { ModelPlan } from "../../schemas/run-plan.ts";

/** What a plan exceeds, in words; null: nothing. */
export function exceeded({ calls, cost }: Pick<ModelPlan, "calls" | "cost">, limits: LlmRecipe["askAbove"]): string | null {
  const over = [
    limits.calls !== null && calls.expected > limits.calls ? `${calls.expected} calls (llm.askAbove.calls is ${limits.calls})` : null,
    limits.money !== null && cost !== null && cost.expected > limits.money
      ? `${cost.expected.toFixed(2)} ${cost.currency} (llm.askAbove.money is ${limits.money})`
      : null,
  ].filter((one) => one !== null);
  return over.length === 0 ? null : over.join(" and ");
}

/** The two ends of a conversation with a person; null where there is none, as in scripts, pipes and batch jobs. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** stdout is for results, so the question goes to stderr; both that and stdin must be a terminal. */
export const terminalHere = (): Terminal | null =>
  process.stdin.isTTY === true && process.stderr.isTTY === true ? { input: process.stdin, output: process.stderr } : null;

/** Only `y` or `yes` is a yes; an empty line, anything else, Ctrl-C, Ctrl-D and an abort are a no. */
export function goOn({ input, output }: Terminal, question: string, signal: AbortSignal | null): Promise<boolean> {
  const lines = createInterface({ input, output, terminal: true });
  const close = (): void => lines.close();
  return new Promise((resolve) => {
    let answer: string | null = null;
    lines.on("SIGINT", close);
    signal?.addEventListener("abort", close, { once: true });
    lines.on("close", () => {
      signal?.removeEventListener("abort", close);
      if (answer === null) output.write("\n");
      resolve(/^\s*y(?:es)?\s*$/i.test(answer ?? ""));
    });
    lines.question(`${question} [y/N] `, (text) => {
      answer = text;
      close();
    });
  });
}
