/**
 * How fast texts are scrubbed, and beside it the straightforward way, one pattern after another, in JavaScript and in Python's `re`:
 *
 *     npx tsx test/bench/scrub.bench.ts [megabytes]
 *
 * Clean texts are the sources in `node_modules` and, where they are at hand, real trajectories; dirty ones have a planted secret every 20 KB. CPU time,
 * one thread. Hostile: the slowest rule on the text it likes least.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { planInputs } from "../../pipeline/import/plan.ts";
import { readUnit } from "../../pipeline/import/read.ts";
import { findSecrets, type SecretOptions } from "../../stages/lib/secrets/find-secrets.ts";
import { ownForms } from "../../stages/lib/secrets/own-values.ts";
import { tokenShapes } from "../../stages/lib/secrets/rules/token-shapes.ts";
import { createScrubber } from "../../stages/lib/secrets/scrubber.ts";
import { plantedSecrets } from "../fakes/planted-secrets.ts";
import { costOf, fixed, guard, machine, median, print, python, pythonScript, repository } from "./lib.ts";

const megabytes = Number(process.argv[2] ?? 16);
const rounds = 5;

function sources(folder: string, limit: number): string[] {
  const texts: string[] = [];
  let size = 0;
  const walk = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (size >= limit) return;
      if (entry.isDirectory()) walk(join(place, entry.name));
      else if (/\.(?:[cm]?[jt]s|md|json)$/.test(entry.name)) {
        const text = readFileSync(join(place, entry.name), "utf8");
        if (text.length > 1e6) continue;
        size += text.length;
        texts.push(text);
      }
    }
  };
  walk(folder);
  return texts;
}

async function trajectories(): Promise<string[]> {
  const folder = resolve(repository, "../shared/trajectories");
  const texts: string[] = [];
  for (const unit of existsSync(folder) ? await planInputs([folder]) : [])
    for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256e6 }))
      if (event.kind === "run")
        for (const { thought, calls } of event.trajectory.steps)
          texts.push(thought, ...calls.flatMap((call) => [call.arguments, call.result ?? ""]));
  return texts;
}

const sizeOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

/** MB per CPU second, median of the rounds. */
function rate(texts: readonly string[], work: (text: string) => unknown): number {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (const text of texts) work(text);
    const { user, system } = process.cpuUsage(before);
    rates.push(sizeOf(texts) / (user + system));
  }
  return median(rates);
}

const clean = sources(join(repository, "node_modules/"), megabytes * 1e6);
const real = await trajectories();
const planted = [1, 2, 3].flatMap((seed) => plantedSecrets(seed));
const dirty = clean.map((text, index) => {
  const pieces = Array.from({ length: Math.ceil(text.length / 20_000) }, (_, part) => text.slice(part * 20_000, (part + 1) * 20_000));
  return pieces.join(`\n${planted[index % planted.length]?.line ?? ""}\n`);
});

const options: SecretOptions = { secrets: true, personal: [], own: [] };
const withOwn: SecretOptions = { ...options, own: ownForms(["a-key-of-ours-0123456789", "another secret value 77"]) };
const withPeople: SecretOptions = { ...options, personal: ["commit-name", "mail", "phone", "ip", "home-path"] };

const patterns = [
  ...tokenShapes.flatMap(({ starts, body }) =>
    starts.map((start) => new RegExp(`(?<![A-Za-z0-9_])${start.replace(/[.*+?^$()[\]{}|/]/g, "\\$&")}${body.source}(?![A-Za-z0-9_])`, "g")),
  ),
  /eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?/g,
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]*/g,
  /:\/\/[^\s/:@]{0,64}:[^\s/@]{4,256}@/g,
  /(?:bearer|basic)[ \t]+[A-Za-z0-9._~+/-]{16,}=*/gi,
  /(?:password|passwd|secret|token|api_?key|access_?key)[\w-]{0,40}["']?\s{0,4}[:=]\s{0,4}["']?[A-Za-z0-9+/=_.~!@#$%^*?-]{8,512}/gi,
];
const oneByOne = (text: string): string => patterns.reduce((rest, pattern) => rest.replace(pattern, "[SECRET]"), text);

async function pythonRate(texts: readonly string[]): Promise<number> {
  if (python === null) return Number.NaN;
  const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
  try {
    await writeFile(join(folder, "texts.jsonl"), texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
    const shapes = tokenShapes.flatMap(({ starts, body }) => starts.map((start) => ({ start, body: body.source.replaceAll("\\/", "/") })));
    await writeFile(join(folder, "shapes.json"), JSON.stringify(shapes));
    const { stdout } = await costOf([python, pythonScript("scrub"), join(folder, "texts.jsonl"), join(folder, "shapes.json")]);
    return sizeOf(texts) / 1e6 / (JSON.parse(stdout) as { seconds: number }).seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const shared = createScrubber(options);
const scrub = (text: string): string => shared.text(text);
const few = clean.slice(0, Math.ceil(clean.length / 8)); // the slow ways need no more
const found = (texts: readonly string[], by: SecretOptions): number => texts.reduce((sum, text) => sum + findSecrets(text, by).length, 0);

console.log(
  `${machine()}\nsources ${fixed(sizeOf(clean) / 1e6)} MB, real runs ${fixed(sizeOf(real) / 1e6)} MB, one thread, median of ${rounds}, MB per CPU second\n`,
);
const ours = rate(clean, scrub);
const theirs = rate(few, oneByOne);
const pythons = await pythonRate(few);
print(
  ["scrubbing", "MB/s", "places", "per MB"],
  [
    ["sources", ours, clean, options],
    ["real runs", real.length === 0 ? Number.NaN : rate(real, scrub), real, options],
    ["sources with a secret every 20 KB", rate(dirty, (text) => createScrubber(options).text(text)), dirty, options],
    ["sources, and values of our own", rate(clean, (text) => findSecrets(text, withOwn)), clean, withOwn],
    ["sources, and personal data", rate(few, (text) => findSecrets(text, withPeople)), few, withPeople],
  ].map(([what, speed, texts, by]) => {
    const places = found(texts as string[], by as SecretOptions);
    return [String(what), fixed(Number(speed)), places, fixed((places / Math.max(1, sizeOf(texts as string[]))) * 1e6, 2)];
  }),
);
console.log();
print(
  ["one pattern after another", "MB/s"],
  [
    ["JavaScript", fixed(theirs)],
    ["Python re", fixed(pythons)],
  ],
);
console.log();
const hostile = ["a", "A1", "eyJ", "sk-", "token=", "://a:", "-----BEGIN RSA PRIVATE KEY-----", "Z2hwX0", "password: '"].map(
  (unit): [string, number] => {
    const text = unit.repeat(Math.ceil(1e6 / unit.length));
    return [unit, rate([text], (one) => findSecrets(one, withPeople))];
  },
);
const [slowest, speed] = hostile.reduce((worst, next) => (next[1] < worst[1] ? next : worst));
console.log(`hostile: at worst ${fixed(speed, 2)} MB/s, on ${JSON.stringify(slowest)} repeated\n`);
guard("scrubbing clean sources against one pattern after another in JavaScript", ours / theirs, 2);
if (python !== null) guard("scrubbing clean sources against Python's re", ours / pythons, 10);
