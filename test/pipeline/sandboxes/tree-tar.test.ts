import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeTar } from "../../../pipeline/sandboxes/tree-tar.ts";
import { isLinux, mkfifo, temporaryFolder } from "./lib.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});
afterEach(() => rmSync(root, { recursive: true }));

async function tarOf(folder: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of treeTar(folder)) parts.push(part);
  return Buffer.concat(parts);
}
const listed = (tar: Buffer): string[] =>
  execFileSync("tar", ["--quoting-style=escape", "-tf", "-"], { input: tar, encoding: "utf8" }).trim().split("\n");

test("an archiver of others takes out what was put in: names, content, links, rights to execute", async () => {
  const long = `${"folder/".repeat(40)}${"n".repeat(200)}`;
  const files: Record<string, string> = { "a b": "1", "ünï😀": "2", "new\nline": "3", [long]: "4", empty: "", exact: "x".repeat(512) };
  const tree = join(root, "tree");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(tree, name, ".."), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  chmodSync(join(tree, "exact"), 0o700);
  symlinkSync(`/${"t".repeat(150)}`, join(tree, "far"));
  mkdirSync(join(root, "out"));
  execFileSync("tar", ["-xpf", "-", "-C", join(root, "out")], { input: await tarOf(tree) });
  expect(execFileSync("diff", ["-r", "--no-dereference", tree, join(root, "out")], { encoding: "utf8" })).toBe("");
  expect(execFileSync("find", [join(root, "out"), "-type", "f", "-perm", "755", "-printf", "%f"], { encoding: "utf8" })).toBe("exact");
});

test.skipIf(!isLinux)("links are not followed; repositories, FIFOs and devices stay behind", async () => {
  mkdirSync(join(root, "sub/.git"), { recursive: true });
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "sub/.gitignore"), "");
  symlinkSync("/etc", join(root, "etc"));
  symlinkSync("/dev/zero", join(root, "zero"));
  mkfifo(join(root, "fifo"));
  expect(listed(await tarOf(root))).toEqual(["etc", "sub/", "sub/.gitignore", "zero"]);
});

test("the same tree gives the same bytes, whenever and by whomever it was written", async () => {
  for (const name of ["one", "two"]) {
    mkdirSync(join(root, name));
    for (const file of name === "one" ? ["a", "b", "c"] : ["c", "a", "b"]) writeFileSync(join(root, name, file), file);
  }
  chmodSync(join(root, "two", "a"), 0o600);
  utimesSync(join(root, "two", "b"), 1, 1);
  expect((await tarOf(join(root, "one"))).equals(await tarOf(join(root, "two")))).toBe(true);
});

test("a name need not be UTF-8", async () => {
  if (!isLinux) return;
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), "x");
  expect(listed(await tarOf(root))).toEqual(["bad-\\377"]);
});
