import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeParquetShards } from "../../../pipeline/adapters/parquet-writer.ts";
import { assertNoSecrets, assertNoSecretText, scanFiles } from "../../../pipeline/secrets/scan-files.ts";
import { utf8 } from "../../../schemas/columns.ts";
import { Scan } from "../../../schemas/scan.ts";
import { plantedSecrets } from "../../fakes/planted-secrets.ts";

const options = { secrets: true, personal: [], own: [], allowed: [] };
const planted = plantedSecrets(7);
const token = planted.find(({ shape }) => shape === "github-token")?.secret ?? "";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-scan-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

async function parquet(name: string, texts: readonly string[]): Promise<string> {
  const rows = async function* () {
    for (const text of texts) yield { id: "x", text };
  };
  await writeParquetShards(join(folder, name), "train", { id: utf8, text: utf8 }, rows(), { rowGroupBytes: 1e6, shardBytes: 1e8 });
  return join(folder, name);
}

test.each(planted.map(({ shape, line, secret }) => [shape, line, secret] as const))(
  "%s is found in text, JSON, JSON lines, gzip and Parquet",
  async (shape, line) => {
    const texts = [
      await file(`${shape}/card.md`, `# Data\n\n${line}\n`),
      await file(`${shape}/run.log`, `12:00 info ${line}\n`),
      await file(`${shape}/a.json`, JSON.stringify({ deep: [{ down: `x\n${line}` }] })),
      await file(`${shape}/b.jsonl`, `{"a": 1}\n${JSON.stringify({ messages: [{ content: line }] })}\n`),
      await file(`${shape}/c.jsonl.gz`, gzipSync(`${JSON.stringify({ content: line })}\n`)),
      await file(`${shape}/recipe.yaml`, `note: |\n  ${line.replaceAll("\n", "\n  ")}\n`),
      await parquet(`${shape}/data`, ["nothing", line]),
    ];
    for (const path of texts) expect((await scanFiles([path], options)).found.length, path).toBeGreaterThan(0);
  },
);

test("a hit names file, place and type, shows four characters, and is a contract", async () => {
  const path = await file("hit/b.jsonl", `{"a": 1}\n${JSON.stringify({ messages: [{ content: `see ${token}` }] })}\n`);
  const scan = Scan.parse(await scanFiles([path], options));
  expect(scan.found).toEqual([
    {
      file: path,
      place: "row 2 messages.0.content",
      kind: "SECRET",
      type: "github-token",
      excerpt: `${token.slice(0, 4)}... (40 characters)`,
    },
  ]);
  expect(JSON.stringify(scan)).not.toContain(token);
  const lines = await file("hit/notes.txt", `a\nb\n${token}\n`);
  expect((await scanFiles([lines], options)).found[0]?.place).toBe("line 3");
});

test("a secret across the border of two pieces of a large file is found once, on its line", async () => {
  const filler = "all is well here\n".repeat(1 << 17); // 2.2 MB, a piece is 1 MiB and a bit
  const parts = [0, 1, 2, 3].map((quarter) => filler.slice(quarter * 550_001, (quarter + 1) * 550_001));
  const path = await file("large.log", parts.join(`\n${token}\n`));
  const { found } = await scanFiles([path], options);
  const expected = parts
    .join(`\n${token}\n`)
    .split("\n")
    .flatMap((line, index) => (line === token ? [`line ${index + 1}`] : []));
  expect(found.map(({ place }) => place)).toEqual(expected);
});

test("what cannot be looked into is named: archives, links, histories; broken Parquet and binary files are read as bytes", async () => {
  await file("odd/.git/config", token);
  await file("odd/a.zip", token);
  await symlink("/nowhere", join(folder, "odd/link"));
  const broken = await file("odd/broken.parquet", `PAR1 ${token} `);
  const binary = await file("odd/data.bin", Buffer.concat([Buffer.from([0, 1, 2, 255]), Buffer.from(` ${token} `)]));
  const { found, skipped } = await scanFiles([join(folder, "odd")], options);
  expect(found.map((hit) => hit.file).sort()).toEqual([broken, binary].sort());
  expect(skipped.map(({ why }) => why)).toEqual(["the history of a repository", "an archive: unpack it first", "a link"]);
});

test("placeholders and allowed types are no hits", async () => {
  const path = await file("allowed.md", `[SECRET:github-token:1] and ${token}`);
  expect((await scanFiles([path], options)).found).toHaveLength(1);
  expect((await scanFiles([path], { ...options, allowed: ["github-token"] })).found).toHaveLength(0);
});

test("the gate before publishing throws, names the place, and never the value", async () => {
  const path = await parquet("gate", [`x ${token}`]);
  await expect(assertNoSecrets([path], options)).rejects.toMatchObject({
    code: "SECRETS_FOUND",
    message: expect.stringContaining("row 1 text: github-token"),
  });
  await expect(assertNoSecrets([path], options)).rejects.not.toMatchObject({ message: expect.stringContaining(token) });
  expect(() => assertNoSecretText([{ path: "README.md", text: token }], [], [])).toThrow("README.md, line 1: github-token");
  expect(() => assertNoSecretText([{ path: "README.md", text: token }], ["github-token"], [])).not.toThrow();
});
