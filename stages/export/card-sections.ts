import { condenseRequest } from "../lib/condense-request.ts";
import { paper } from "../lib/personas/paper.ts";
import { contextTool } from "../lib/personas/persona.ts";
import type { ExportParams } from "./params.ts";

/** What made the dataset, besides its recipe. */
export interface MadeWith {
  /** Of catgen. */
  readonly version: string;
  /** Step -> integer that grows when its output changes. */
  readonly steps: Readonly<Record<string, number>>;
  /** What models were told -> SHA-256 of the text. */
  readonly prompts: Readonly<Record<string, string>>;
  /** SHA-256 of the tokenizer's files. */
  readonly tokenizer: string;
}

const nothing = { task: "", previousMemory: null, fold: [], first: 1, recent: [], targetTokens: 0, capTokens: 0 };

const noTask = { system: null, prompt: "", issue: null, workdir: null, repository: null, tools: [] };

/** What every sample's models are told, by name: the texts without the data in them. A persona that keeps the sources' prompts has none of its own. */
export function promptTexts(persona: ExportParams["persona"]["name"]): Readonly<Record<string, string>> {
  const system = persona === "paper" ? paper.system(noTask, true) : null;
  return {
    "condenser's request": condenseRequest(nothing),
    "`context` tool": contextTool,
    ...(system === null ? {} : { "agent's system prompt": system }),
  };
}

/** One item of the card's list on how the dataset was made. */
export function madeWithText({ version, steps, prompts, tokenizer }: MadeWith): string {
  const stepTexts = Object.entries(steps).map(([step, number]) => `${step} ${number}`);
  const promptTexts = Object.entries(prompts).map(([name, digest]) => `${name} \`${digest.slice(0, 16)}\``);
  return `- **Versions** catgen ${version}; steps ${stepTexts.join(", ")}; tokenizer \`${tokenizer.slice(0, 16)}\`. Prompts, by the first digits of their SHA-256: ${promptTexts.join(", ")}.`;
}

/** What is known of people in the data, and what was done about them. */
export const personalText = (): string => `## Personal and secret information

The text is that of public repositories and of agents working on them: it quotes code, commits, logs and configuration, and with them names, mail
addresses, user names and paths that their authors published. Keys, tokens and passwords of known shape were replaced by stable placeholders such as
\`[SECRET:github-token:1]\` at import, samples that still held one were left out, and every file was scanned again before it was published; personal data
is replaced only where placeholders such as \`[PERSONAL:mail:1]\` show it. A rule can miss what no shape gives away: tell the maintainers, and do not use
what you find.`;

export const limitsText = (): string => `## Limits

- Trajectories are those of their sources, with their mistakes; only what the thresholds name was filtered.
- Insertion points follow signals and the window, not a measured benefit for solving the task.
- Nobody has read all samples.
- Models that wrote the turns or the memories may have terms of their own for training on their output.`;

const bibKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "") || "dataset";
const bibText = (text: string): string => text.replace(/[\\{}%&#$_^~]/g, "\\$&");

/** The dataset as BibTeX. */
export function bibTexOf({ name, about }: ExportParams["export"]): string {
  const { creators, url, published } = about;
  const fields = [
    ["title", bibText(name)],
    ...(creators.length === 0 ? [] : [["author", creators.map(bibText).join(" and ")]]),
    ...(published === null ? [] : [["year", published.slice(0, 4)]]),
    ...(url === null ? [] : [["url", url]]),
    ["note", "Made with CAT-Generator"],
  ];
  return `@misc{${bibKey(name)},\n${fields.map(([key, value]) => `  ${key} = {${value}}`).join(",\n")}\n}`;
}

/** How to cite the dataset and the paper it follows. */
export const citationText = (exporting: ExportParams["export"]): string => `## How to cite

\`\`\`bibtex
${bibTexOf(exporting)}
\`\`\`

Cite the sources above and the paper whose method this follows, *Context as a Tool: Context Management for Long-Horizon SWE-Agents*, too.`;
