import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { drawer } from "../../stages/lib/drawer.ts";

/**
 * Grows a data set of any size from recorded demo runs: the same shapes and lengths, with text varied from copy to copy, so that
 * neither a tokenizer's cache nor a compressor sees the same words again and again. Plain OpenAI messages, one run per line.
 *
 *   npx tsx test/bench/grow.ts 1000 /tmp/grown.jsonl      (megabytes, file)
 *   npx tsx test/bench/grow.ts 1000 /tmp/grown.jsonl 4    (of each run the first three steps and the last: many short ones)
 */

/** Options of a run that keeps its copies: some are near-duplicates, of which a dataset would hold one. */
export const keepCopies = ["--set", "filter.set.nearDuplicateSteps=null", "--set", "filter.set.nearDuplicateTasks=null"];

const folder = new URL("../fixtures/demo-trajectories/", import.meta.url);

const syllables = "ba co di fu ge ha jo ki lu me na po qua ri su ta ve wi xo zy bra clo dre fli gru ple sto tra".split(" ");

/** Words that a copy writes differently, everywhere alike: about one in three of five letters and more. */
function vary(text: string, random: () => number): string {
  const renamed = new Map<string, string>();
  return text.replace(/[A-Za-z]{5,}/g, (word) => {
    const known = renamed.get(word);
    if (known !== undefined) return known;
    let other = word;
    if (random() < 0.33) {
      other = "";
      while (other.length < word.length) other += syllables[Math.floor(random() * syllables.length)] ?? "";
    }
    renamed.set(word, other);
    return other;
  });
}

interface Row {
  instance_id: string;
  repo: string;
  messages: { content: string }[];
}

/** The first steps and the last one; a step is a turn and its answer, behind system prompt and task. */
const shortened = <T>(messages: readonly T[], steps: number): readonly T[] =>
  messages.length <= 2 + 2 * steps ? messages : [...messages.slice(0, 2 * steps), ...messages.slice(-2)];

/** Writes at least `megabytes` MB of runs of at most `steps` steps; returns how many runs. */
export async function grow(megabytes: number, path: string, steps = Number.POSITIVE_INFINITY): Promise<number> {
  const names = (await readdir(folder)).sort();
  const rows = (await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")))).map((text) => JSON.parse(text) as Row);
  const out = createWriteStream(path);
  let bytes = 0;
  let runs = 0;
  while (bytes < megabytes * 1e6) {
    const row = rows[runs % rows.length];
    if (row === undefined) throw new Error(`no trajectories in ${folder.pathname}`);
    const random = drawer(runs);
    // Call arguments are JSON in JSON; only message texts are varied, so that every run stays valid.
    const messages = shortened(row.messages, steps).map((message) => ({ ...message, content: vary(message.content, random) }));
    const line = `${JSON.stringify({ ...row, instance_id: `${row.instance_id}-${runs}`, repo: `${row.repo}-${runs % 97}`, messages })}\n`;
    bytes += Buffer.byteLength(line);
    runs += 1;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await finished(out);
  return runs;
}

const [, script, megabytes, path, steps] = process.argv;
if (script?.endsWith("grow.ts") === true) {
  if (megabytes === undefined || path === undefined) throw new Error("usage: npx tsx test/bench/grow.ts MEGABYTES FILE [STEPS]");
  console.log(`${await grow(Number(megabytes), path, steps === undefined ? undefined : Number(steps))} runs in ${path}`);
}
