import { expect, test } from "vitest";
import { folder } from "../../../../stages/generate/tasks/folder.ts";
import { readAs } from "../../../../stages/generate/tasks/read-task.ts";
import { folderHint, rowHint, taskFile } from "./rows.ts";

const read = (value: unknown) => readAs(folder, value, folderHint);
const why = (value: unknown): string => {
  const result = read(value);
  return result.ok ? "it was read" : result.why;
};

test("a folder becomes a task over its tree, with the files of its tests folder and what the machine must have", () => {
  expect(read(taskFile)).toEqual({
    ok: true,
    needs: ["node"],
    task: {
      format: "catgen.task/1",
      source: "folder",
      instance: "cronwell-month-ends",
      repository: null,
      baseCommit: null,
      issue: "# Wrong runs around the ends of months\n\nWe use cronwell for billing jobs.",
      environment: { kind: "tree", folder: "/home/me/projects/cronwell" },
      workdir: "/workspace/cronwell",
      prepare: null,
      tests: {
        command: "node --test --test-reporter=tap",
        log: "node-test",
        failToPass: ["month ends"],
        passToPass: ["parses"],
        files: [{ path: "test/hidden/ends.test.js", content: "test();\n" }],
        patch: null,
        timeoutMs: 60_000,
      },
      licence: "Apache-2.0",
    },
  });
});

test("without names of tests the exit code is the one test", () => {
  const result = read({ ...taskFile, tests: { command: "node --test" } });
  expect(result).toMatchObject({
    ok: true,
    task: { tests: { log: "exit-code", failToPass: ["exit-code"], passToPass: [], timeoutMs: 120_000 } },
  });
});

test("a runner whose log has names needs them", () => {
  expect(why({ ...taskFile, tests: { command: "pytest", log: "pytest" } })).toContain("tests.failToPass: expected the names of tests");
});

test("an image needs to be told where its repository is, and stands in for a tree", () => {
  const { tree: _, ...bare } = taskFile;
  expect(why(bare)).toContain("either tree (a folder) or image");
  expect(why({ ...taskFile, image: "x" })).toContain("either tree (a folder) or image");
  expect(why({ ...bare, image: "x" })).toContain("workdir: expected where the repository lies");
  expect(read({ ...bare, image: "x", workdir: "/testbed" })).toMatchObject({
    ok: true,
    task: { environment: { kind: "image", image: "x" } },
  });
});

test("an unknown key, a missing one and a wrong one are all named", () => {
  const { title: _, ...rest } = taskFile;
  const said = why({ ...rest, project: "cronwell", tests: { ...taskFile.tests, timeoutMs: 0 } });
  for (const word of ["title", "project", "tests.timeoutMs"]) expect(said).toContain(word);
});

test("away from its folder it is refused", () => {
  expect(readAs(folder, taskFile, rowHint)).toMatchObject({ ok: false });
});
