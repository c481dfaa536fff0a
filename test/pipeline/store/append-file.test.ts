import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAppendFile } from "../../../pipeline/store/append-file.ts";
import { Fault } from "../../../schemas/fault.ts";
import { faultOf, tempFolder } from "../llm/harness.ts";

test("lines appended at the same time are all there, whole and where it says", async () => {
  const folder = await tempFolder();
  const file = openAppendFile({ folder, writer: "w", durable: true });
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at} ${"ä".repeat(at % 7)}`);
  const places = await Promise.all(lines.map((line) => file.append(line)));
  await file.close();
  const bytes = await readFile(join(folder, "w.jsonl"));
  for (const [at, line] of lines.entries()) {
    const { offset } = places[at] ?? { offset: -1 };
    expect(bytes.subarray(offset, bytes.indexOf(10, offset)).toString()).toBe(line);
  }
});

test("a full file is followed by the next", async () => {
  const folder = await tempFolder();
  const file = openAppendFile({ folder, writer: "w", durable: false, maxBytes: 10 });
  for (const line of ["first line", "second line", "3"]) await file.append(line);
  await file.close();
  expect((await readdir(folder)).sort()).toEqual(["w-1.jsonl", "w-2.jsonl", "w.jsonl"]);
});

test("a writer that appended nothing leaves no file", async () => {
  const folder = await tempFolder();
  await openAppendFile({ folder, writer: "w", durable: true }).close();
  expect(await readdir(folder)).toEqual([]);
});

test("a folder that cannot be written is a fault that says where, and the next line tries anew", async () => {
  const folder = join(await tempFolder(), "sub");
  await writeFile(folder, "a file is in the way");
  await chmod(folder, 0o400);
  const file = openAppendFile({ folder, writer: "w", durable: true });
  const fault = await faultOf(file.append("line"));
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code: "IO", remedy: "stop" });
  expect(fault.message).toContain(folder);
  await file.close();
});
