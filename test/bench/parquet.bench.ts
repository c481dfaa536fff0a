/**
 * Writing a chat dataset as Parquet, from JSON lines, beside pyarrow doing the same with the same row groups and compression:
 *
 *     npx tsx test/bench/parquet.bench.ts [megabytes]
 */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { writeParquet } from "../../pipeline/adapters/parquet-writer.ts";
import { bool, list, type Row, struct, utf8 } from "../../schemas/columns.ts";
import { grow } from "./grow.ts";
import { type Cost, costOf, fixed, guard, machine, median, print, python, pythonScript } from "./lib.ts";

const columns = { id: utf8, messages: list(struct({ role: utf8, content: utf8, train: bool })) };
const rowGroupBytes = 48_000_000;
const rounds = 5;

async function* rowsIn(path: string): AsyncGenerator<Row> {
  for await (const line of createInterface({ input: createReadStream(path) })) yield JSON.parse(line) as Row;
}

const [, script = "", first, second] = process.argv;
if (second !== undefined) await writeParquet(second, columns, rowsIn(first ?? ""), { rowGroupBytes });
else {
  const megabytes = Number(first ?? 300);
  const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
  const costs: Record<"ours" | "theirs", Cost[]> = { ours: [], theirs: [] };
  try {
    const [grown, input, ours, theirs] = ["grown.jsonl", "rows.jsonl", "ours.parquet", "theirs.parquet"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    await grow(megabytes, grown);
    let text = "";
    await writeFile(input, "");
    for await (const run of rowsIn(grown)) {
      const messages = (run["messages"] as { role: string; content: string }[]).map(({ role, content }) => ({
        role,
        content,
        train: role === "assistant",
      }));
      text += `${JSON.stringify({ id: run["instance_id"], messages })}\n`;
      if (text.length > 16e6) {
        await writeFile(input, text, { flag: "a" });
        text = "";
      }
    }
    await writeFile(input, text, { flag: "a" });
    const size = (await stat(input)).size / 1e6;
    for (let round = 0; round < rounds; round += 1) {
      costs.ours.push(await costOf([process.execPath, "--import", "tsx", script, input, ours]));
      if (python !== null) costs.theirs.push(await costOf([python, pythonScript("write_parquet"), input, theirs]));
    }
    console.log(
      `${machine()}\n${fixed(size, 0)} MB of JSON lines to Parquet (zstd, row groups of 48 MB), whole processes, median of ${rounds}\n`,
    );
    const row = (label: string, all: readonly Cost[], bytes: number): string[] => {
      const seconds = median(all.map((one) => one.seconds));
      return [
        label,
        fixed(seconds, 2),
        fixed(size / seconds),
        fixed(Math.max(...all.map((one) => one.peakMegabytes)), 0),
        fixed(bytes / 1e6),
      ];
    };
    const rows = [row("catgen's writer", costs.ours, (await stat(ours)).size)];
    if (python !== null) rows.push(row("python: json + pyarrow", costs.theirs, (await stat(theirs)).size));
    print(["", "s", "MB/s", "peak MB", "file MB"], rows);
    console.log();
    const seconds = (all: readonly Cost[]): number => median(all.map((one) => one.seconds));
    if (python !== null) guard("Parquet against json + pyarrow", seconds(costs.theirs) / seconds(costs.ours), 0.4);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
