import { z } from "zod";
import { TestLogFormat } from "../../../schemas/task-instance.ts";
import { isFields } from "../lenient.ts";
import { refuse } from "./lib-row.ts";
import type { TaskReader } from "./reader.ts";

const Names = z.array(z.string().min(1));

/** `task.yaml` of a task folder. Files under `tests/` beside it are put in place at the paths they have there, relative to the repository. */
export const TaskFile = z.strictObject({
  id: z.string().regex(/^[^/\s]+$/, "expected a name without slashes and spaces"),
  title: z.string().trim().min(1),
  /** What the reporter of the issue wrote; Markdown. */
  problem: z.string().trim().min(1),
  /** Folder with the repository, relative to `task.yaml`. Either this or `image`. */
  tree: z.string().min(1).optional(),
  /** Container image that has the repository at `workdir`. */
  image: z.string().min(1).optional(),
  /** Where the repository lies in the sandbox; a tree needs none: `/workspace/<name of its folder>`. */
  workdir: z.string().startsWith("/").optional(),
  /** `owner/name`, where the repository is public. */
  repository: z.string().optional(),
  licence: z.string().optional(),
  /** Programs that must be on the machine. */
  needs: Names.default([]),
  tests: z.strictObject({
    /** Shell command, run in `workdir` after the files were put in place. */
    command: z.string().trim().min(1),
    log: TestLogFormat.default("exit-code"),
    /** Names as the log prints them; with `exit-code` the run itself is the one test. */
    failToPass: Names.min(1).optional(),
    passToPass: Names.default([]),
    timeoutMs: z.int().positive().default(120_000),
  }),
});
export type TaskFile = z.infer<typeof TaskFile>;

/** A folder with `task.yaml`: our own format, so it is read strictly. */
export const folder: TaskReader = {
  name: "folder",
  recognises: (value) =>
    isFields(value) && isFields(value["tests"]) && typeof value["id"] === "string" && typeof value["problem"] === "string",
  read(value, hint) {
    if (hint.folder === null) return refuse("a task.yaml away from its folder: give the folder that holds it as input");
    const parsed = TaskFile.safeParse(value);
    if (!parsed.success)
      return refuse(parsed.error.issues.map((issue) => `${issue.path.join(".") || "task.yaml"}: ${issue.message}`).join("; "));
    const { tests, tree, image, ...task } = parsed.data;
    const unnamed = tests.log === "exit-code" ? ["exit-code"] : undefined;
    const failToPass = tests.failToPass ?? unnamed;
    if (failToPass === undefined)
      return refuse(`tests.failToPass: expected the names of tests that fail before the fix, as ${tests.log} prints them`);
    if ((tree === undefined) === (image === undefined))
      return refuse("expected either tree (a folder) or image (a container image), not both");
    const workdir = task.workdir ?? (tree === undefined ? null : `/workspace/${lastPart(hint.folder.resolve(tree))}`);
    if (workdir === null) return refuse("workdir: expected where the repository lies in the image, such as /testbed");
    return {
      ok: true,
      needs: task.needs,
      task: {
        format: "catgen.task/1",
        source: "folder",
        instance: task.id,
        repository: task.repository ?? null,
        baseCommit: null,
        issue: `# ${task.title}\n\n${task.problem}`,
        environment: tree === undefined ? { kind: "image", image: image ?? "" } : { kind: "tree", folder: hint.folder.resolve(tree) },
        workdir,
        prepare: null,
        tests: {
          command: tests.command,
          log: tests.log,
          failToPass,
          passToPass: tests.passToPass,
          files: [...hint.folder.testFiles],
          patch: null,
          timeoutMs: tests.timeoutMs,
        },
        licence: task.licence ?? null,
      },
    };
  },
};

const lastPart = (path: string): string => path.split("/").filter(Boolean).at(-1) ?? "repository";
