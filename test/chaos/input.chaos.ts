import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Status } from "../../schemas/status.ts";
import { messageLines, messageRun } from "../fakes/message-runs.ts";
import { type Finished, finished, mustRun, openYard, removeSite, rowsFile, run, type Site, siteAt, start, type Yard } from "./lib.ts";

/** Rows 16, 17 and 20: input of odd size, odd bytes, and growing. */

let yard: Yard;
beforeAll(async () => {
  yard = await openYard();
});
afterAll(() => yard.close());

const mebibyte = 1 << 20;
/** What a process may hold at most, whatever its input (DESIGN 3). */
const mostMebibytes = 1024;

/** Runs to the end and says how much memory the process ever held. */
async function measured(site: Site, args: readonly string[]): Promise<Finished & { mebibytes: number }> {
  const child = start(site, args);
  const end = finished(child);
  let peak = 0;
  const timer = setInterval(() => {
    void readFile(`/proc/${child.pid}/status`, "utf8").then(
      (text) => {
        peak = Math.max(peak, Number(/VmHWM:\s*(\d+) kB/.exec(text)?.[1] ?? 0) / 1024);
      },
      () => undefined, // it has just ended
    );
  }, 20);
  const ended = await end;
  clearInterval(timer);
  return { ...ended, mebibytes: peak };
}

async function folder(name: string): Promise<string> {
  const path = join(yard.folder, name);
  await mkdir(path, { recursive: true });
  return path;
}

const importing = (input: string): string[] => ["run", "all", "--input", input, "--set", "run.maxQuarantinedShare=1"];
const statusOf = async (site: Site): Promise<Status> => JSON.parse((await mustRun(site, ["status"])).stdout) as Status;
const good = messageLines([{ instance: "good__one-1" }]);

test("a line of 600 MB is quarantined with its offset, the run beside it is imported, and memory stays under 1 GB", async () => {
  const input = await folder("huge");
  function* pieces(): Generator<string> {
    yield good;
    yield '{"instance_id": "';
    const block = "x".repeat(mebibyte);
    for (let written = 0; written < 600; written += 1) yield block;
    yield `"}\n${messageLines([{ instance: "good__two-2" }])}`;
  }
  await pipeline(Readable.from(pieces()), createWriteStream(join(input, "runs.jsonl")));
  const site = siteAt(yard, "huge-runs");
  const { code, stderr, mebibytes } = await measured(site, importing(input));
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  const { inputs } = await statusOf(site);
  expect(inputs.trajectories).toBe(2);
  expect(inputs.quarantined).toEqual([
    { file: "runs.jsonl", offset: good.length, why: expect.stringMatching(/^a record of 6\d{8} bytes, more than the limit of 256000000$/) },
  ]);
  console.log(`chaos: a line of 600 MB took ${Math.round(mebibytes)} MiB`);
  expect(mebibytes).toBeLessThan(mostMebibytes);
  await rm(input, { recursive: true });
});

test("a million tiny lines are accounted for one by one, and memory stays under 1 GB", async () => {
  const input = await folder("tiny");
  const lines = 1_000_000;
  function* pieces(): Generator<string> {
    yield good;
    for (let written = 0; written < lines; written += 1_000) yield '{"a":\n'.repeat(1_000);
  }
  await pipeline(Readable.from(pieces()), createWriteStream(join(input, "runs.jsonl")));
  const site = siteAt(yard, "tiny-runs");
  const { code, stderr, mebibytes } = await measured(site, importing(input));
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  const quarantine = join(site.root, "stages", "1-generate", "quarantine");
  let kept = 0;
  for (const name of await readdir(quarantine))
    for await (const _ of createInterface({ input: createReadStream(join(quarantine, name)) })) kept += 1;
  expect(kept).toBe(lines);
  console.log(`chaos: a million broken lines took ${Math.round(mebibytes)} MiB`);
  expect(mebibytes).toBeLessThan(mostMebibytes);
  await rm(input, { recursive: true });
  await removeSite(site);
});

test("nesting deeper than any stack is quarantined or refused by name, and the run beside it is imported", async () => {
  const input = await folder("deep");
  const deep = (open: string, close: string, depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
  const inside = JSON.stringify({ ...messageRun({ instance: "deep__args-1" }), extra: "HERE" });
  await writeFile(
    join(input, "runs.jsonl"),
    [deep("[", "]", 200_000), deep('{"a":', "}", 200_000), inside.replace('"HERE"', deep("[", "]", 100_000)), good].join("\n"),
  );
  const site = siteAt(yard, "deep-runs");
  const { code, stderr } = await run(site, importing(input));
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  const { inputs } = await statusOf(site);
  expect(inputs.trajectories).toBeGreaterThanOrEqual(1);
  expect(inputs.trajectories + inputs.quarantined.length).toBe(4);
});

test("byte order marks, CRLF, line separators, split and lone surrogates and bytes that are no text survive every stage", async () => {
  const input = await folder("bytes");
  const odd = {
    crlf: "one\r\ntwo\r\n",
    separators: "a\u2028b\u2029c\u0085d\u0000e",
    emoji: "🙂".repeat(40_000), // longer than a read block, so that some are split between two
    lone: "\ud83d alone \udc00",
    bidi: "\u202eevil\u202c",
  };
  const plant = (instance: string, planted: string): string => JSON.stringify(messageRun({ instance, planted, steps: 30 }));
  await writeFile(join(input, "mark.jsonl"), `\ufeff${plant("odd__mark-1", "")}\r\n${plant("odd__crlf-2", odd.crlf)}\r\n`);
  await writeFile(
    join(input, "rest.jsonl"),
    Object.entries(odd)
      .map(([name, text], index) => plant(`odd__${name}-${index + 3}`, text))
      .join("\n"),
  );
  const broken = Buffer.from(plant("odd__bytes-9", "BYTES"));
  broken.set([0xc3, 0x28, 0xff, 0xed, 0xa0], broken.indexOf("BYTES"));
  await writeFile(join(input, "broken.jsonl"), broken);
  const site = siteAt(yard, "bytes-runs");
  await mustRun(site, importing(input));
  const { inputs, stages } = await statusOf(site);
  expect(inputs).toMatchObject({ trajectories: 8, quarantined: [] });
  for (const { name, rows } of stages) if (name === "judge") expect(rows).toMatchObject({ in: 8, failed: 0 });
  const text = await readFile(await rowsFile(site, "1-generate"), "utf8");
  expect(text.isWellFormed()).toBe(true);
  await mustRun(site, ["verify"]);
});

test("one run more among many: only its shard is made anew, but for the selection, which rests on the whole set; every other file stays the very same", async () => {
  const input = await folder("many");
  const runs = Array.from({ length: 120 }, (_, index) => ({ instance: `many__runs-${index}`, steps: 14 }));
  await writeFile(join(input, "a.jsonl"), messageLines(runs));
  const site = siteAt(yard, "many-runs");
  const args = ["run", "all", "--input", input, "--set", "run.shards=40"];
  await mustRun(site, args);
  const rows = join(site.root, "stages");
  const inodes = async (): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    for (const name of await readdir(rows, { recursive: true }))
      if (/\/rows\/|\/manifests\/\d/.test(name) && !name.startsWith("5-select/")) found.set(name, (await stat(join(rows, name))).ino);
    return found;
  };
  const before = await inodes();
  await writeFile(join(input, "b.jsonl"), messageLines([{ instance: "many__more-1", steps: 14 }]));
  const { summary } = JSON.parse((await mustRun(site, args)).stdout) as { summary: { step: string; shardsMade: number }[] };
  for (const { step, shardsMade } of summary) expect(`${step} ${shardsMade}`).toBe(`${step} ${step === "5-select" ? 40 : 1}`);
  const after = await inodes();
  const changed = [...before].filter(([name, inode]) => after.get(name) !== inode);
  expect(new Set(changed.map(([name]) => /(\d{5})[^/]*$/.exec(name)?.[1])).size).toBe(1);
});
