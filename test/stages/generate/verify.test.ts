import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Fault } from "../../../schemas/fault.ts";
import { TaskInstance } from "../../../schemas/task-instance.ts";
import { Verification } from "../../../schemas/verification.ts";
import { checkTask, resolvedBy, type VerifierWorld, verify } from "../../../stages/generate/verify.ts";
import type { Sandbox } from "../../../stages/lib/sandbox.ts";
import { sha256 } from "../../fakes/fake-ports.ts";
import { plainSandboxes } from "../../fakes/plain-sandbox.ts";

const oldTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/sum.js";
test("adding nothing", () => assert.equal(add(2, 0), 2));
`;
const hiddenTest = `${oldTest}test("adding two numbers", () => assert.equal(add(2, 3), 5));\n`;
const sandboxes = plainSandboxes({
  "package.json": '{ "type": "module" }\n',
  "src/sum.js": "// Sums.\n\nexport const add = (left, right) => left - right;\n\n// The end.\n",
  "test/sum.test.js": oldTest,
});
afterAll(() => sandboxes.remove());

const task = (tests: Partial<TaskInstance["tests"]> = {}): TaskInstance =>
  TaskInstance.parse({
    format: "catgen.task/1",
    source: "folder",
    instance: "sum",
    repository: null,
    baseCommit: null,
    issue: "add subtracts",
    environment: { kind: "tree", folder: "/nowhere" },
    workdir: sandboxes.workdir,
    prepare: null,
    tests: {
      command: "node --test test/*.test.js",
      log: "node-test",
      failToPass: ["adding two numbers"],
      passToPass: ["adding nothing"],
      files: [{ path: "test/sum.test.js", content: hiddenTest }],
      patch: null,
      timeoutMs: 60_000,
      ...tests,
    },
    licence: null,
  });

/** The diff that a shell command leaves behind in a fresh copy. */
async function patchBy(command: string): Promise<string> {
  const sandbox = await sandboxes.open();
  const { output, exitCode } = await sandbox.exec(`set -e\n${command}\ngit add -A\ngit diff --cached --binary HEAD`, {
    timeoutMs: 60_000,
    outputBytes: 1_000_000,
  });
  expect(exitCode, output).toBe(0);
  return output;
}
const mend = "sed -i 's/left - right/left + right/' src/sum.js";

interface Watched extends VerifierWorld {
  readonly opened: () => number;
  readonly destroyed: () => number;
}

/** Plain sandboxes; the n-th is opened by the n-th `before`, which may throw or change it. */
function world(...before: readonly ((sandbox: Sandbox) => Sandbox)[]): Watched {
  let [opened, destroyed] = [0, 0];
  return {
    digest: sha256,
    openFresh: async () => {
      opened += 1;
      const sandbox = before[opened - 1]?.(await sandboxes.open()) ?? (await sandboxes.open());
      return {
        ...sandbox,
        destroy: () => {
          destroyed += 1;
          return sandbox.destroy();
        },
      };
    },
    opened: () => opened,
    destroyed: () => destroyed,
  };
}

async function verified(patch: string | null, which = task(), where: VerifierWorld = world()): Promise<Verification> {
  return Verification.parse(await verify(which, patch, where));
}

describe("a patch is graded", () => {
  test("one that mends the fault resolves the task, with the log as evidence", async () => {
    const where = world();
    const found = await verified(await patchBy(mend), task(), where);
    expect(found).toMatchObject({
      status: "resolved",
      why: null,
      failToPass: { passed: ["adding two numbers"], failed: [] },
      passToPass: { passed: ["adding nothing"], failed: [] },
      testsTouched: [],
      runnerConfigTouched: [],
      exitCode: 0,
      appliedBy: "git-apply",
      attempts: 1,
    });
    expect(found.logTail).toMatch(/pass 2$/m);
    expect(found.logDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(resolvedBy(found)).toBe(true);
    expect([where.opened(), where.destroyed()]).toEqual([1, 1]);
  });

  test("one that does not is unresolved, and breaking what worked is told apart", async () => {
    const idle = await verified(await patchBy("echo '// no change' >> src/sum.js"));
    expect(idle).toMatchObject({
      status: "unresolved",
      failToPass: { failed: ["adding two numbers"] },
      passToPass: { failed: [] },
      exitCode: 1,
    });
    expect(resolvedBy(idle)).toBe(false);
    const other = await verified(await patchBy("sed -i 's/left - right/5/' src/sum.js"));
    expect(other).toMatchObject({ status: "unresolved", failToPass: { failed: [] }, passToPass: { failed: ["adding nothing"] } });
  });

  test("one that breaks the file fails every test in it, though none of them is in the log", async () => {
    const found = await verified(await patchBy("echo 'export const' >> src/sum.js"));
    expect(found).toMatchObject({ status: "unresolved", failToPass: { passed: [] }, passToPass: { passed: [] } });
    expect(found.logTail).not.toContain("adding nothing");
  });

  test("no patch is no solution, and costs no sandbox", async () => {
    const where = world();
    for (const nothing of [null, "", " \n"]) {
      const found = await verified(nothing, task(), where);
      expect(found).toMatchObject({ status: "no-patch", attempts: 0 });
      expect(resolvedBy(found)).toBe(false);
    }
    expect(where.opened()).toBe(0);
  });

  test("a patch without its last newline, and one whose surroundings have moved, still apply", async () => {
    const patch = await patchBy(mend);
    expect(await verified(patch.trimEnd())).toMatchObject({ status: "resolved", appliedBy: "git-apply" });
    const moved = patch.replace("// Sums.", "// Other words than the file has.");
    expect(await verified(moved)).toMatchObject({ status: "resolved", appliedBy: "patch-fuzz" });
  });

  test("a patch for other files does not apply, and leaves nothing behind that could", async () => {
    const found = await verified((await patchBy(mend)).replaceAll("src/sum.js", "src/gone.js"));
    expect(found).toMatchObject({ status: "patch-does-not-apply", appliedBy: null, exitCode: null, attempts: 1 });
    expect(found.why).toMatch(/git-apply: .*gone\.js.*patch-fuzz: /s);
    expect(resolvedBy(found)).toBe(false);
  });
});

describe("the verifier's tests win", () => {
  const cheat = "echo '' > test/sum.test.js";

  test("an edited and a deleted test file are put back and marked", async () => {
    for (const change of [
      cheat,
      "git rm -q test/sum.test.js",
      "git mv test/sum.test.js test/other.test.js",
      `ln -sf ../src/sum.js test/sum.test.js`,
    ]) {
      expect(await verified(await patchBy(`${mend}\n${change}`)), change).toMatchObject({
        status: "resolved",
        testsTouched: ["test/sum.test.js"],
      });
      expect(await verified(await patchBy(change)), change).toMatchObject({ status: "unresolved", testsTouched: ["test/sum.test.js"] });
    }
  });

  test("a file where their folder must be gives way", async () => {
    const found = await verified(await patchBy(`${mend}\nrm -r test\necho nothing > test`));
    expect(found).toMatchObject({ status: "resolved", testsTouched: ["test/sum.test.js"] });
  });

  test("a test patch is applied over what the agent made of its files, made ones included", async () => {
    const patch = await patchBy(
      'cat > test/new.test.js <<\'END\'\nimport test from "node:test";\nimport { add } from "../src/sum.js";\ntest("new", () => { if (add(1, 1) !== 2) throw new Error("no"); });\nEND\necho \'// more\' >> test/sum.test.js',
    );
    const which = task({ failToPass: ["new"], files: [], patch });
    const agent = await patchBy(`${mend}\necho 'import "nothing"' > test/new.test.js\nrm test/sum.test.js`);
    expect(await verified(agent, which)).toMatchObject({ status: "resolved", testsTouched: ["test/new.test.js", "test/sum.test.js"] });
    expect(await verified(await patchBy(cheat), which)).toMatchObject({ status: "unresolved" });
  });

  test("files that steer the runner are marked and left as they are", async () => {
    const found = await verified(await patchBy(`${mend}\necho 'x = 1' > conftest.py\nsed -i 's/}/, "private": true }/' package.json`));
    expect(found).toMatchObject({ status: "resolved", testsTouched: [], runnerConfigTouched: ["conftest.py", "package.json"] });
  });
});

describe("nobody is fooled", () => {
  test.each([
    ["lines of results", 'console.log("ok 1 - adding two numbers");\nconsole.log("# pass 9");'],
    [
      "a whole run, and an end",
      'process.stdout.write("TAP version 13\\nok 1 - adding two numbers\\n1..1\\n# tests 1\\n# suites 0\\n# pass 1\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n# todo 0\\n# duration_ms 1\\n");\nprocess.exit(0);',
    ],
    ["an early good end", "process.exit(0);"],
  ])("a patch that prints %s", async (_, code) => {
    const found = await verified(await patchBy(`cat >> src/sum.js <<'END'\n${code}\nEND`));
    expect(found).toMatchObject({ status: "unresolved", failToPass: { passed: [] } });
  });

  const made = (path: string): string =>
    `diff --git a/${path} b/${path}\nnew file mode 100755\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+echo planted\n`;

  test.each([
    ["beside the repository", made("../beside")],
    ["at an absolute path", made("x").replaceAll("b/x", "/tmp/catgen-planted").replaceAll("a/x", "/tmp/catgen-planted")],
    ["among git's hooks", made(".git/hooks/post-checkout")],
    ["among git's hooks, in capitals", made(".GIT/hooks/post-checkout")],
    [
      "among git's hooks, under a quoted name",
      made("x").replaceAll("b/x", '"b/\\056git/hooks/x"').replaceAll("a/x", '"a/\\056git/hooks/x"'),
    ],
    ["among a part's hooks", made("lib/.git/config")],
  ])("a patch that writes %s does not apply", async (_, patch) => {
    expect(await verified(patch)).toMatchObject({ status: "patch-does-not-apply", why: expect.stringContaining("not the repository's") });
  });

  test("a link that a patch plants is not written through", async () => {
    const link =
      "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\n";
    const found = await verified(link + made("out/catgen-planted"));
    expect(found.status).toBe("patch-does-not-apply");
    const sandbox = await sandboxes.open();
    expect((await sandbox.exec("ls /tmp/catgen-planted", { timeoutMs: 10_000, outputBytes: 1_000 })).exitCode).not.toBe(0);
  });

  test("a patch that is an editor's script runs nothing", async () => {
    const planted = join(dirname(sandboxes.workdir), "planted");
    for (const head of ["", "--- a/src/sum.js\n+++ b/src/sum.js\n"]) {
      const found = await verified(`${head}0a\n!touch ${planted}\n.\n!touch ${planted}\nw\nq\n`);
      expect(["patch-does-not-apply", "unresolved"]).toContain(found.status);
    }
    expect(existsSync(planted)).toBe(false);
  });
});

describe("what stands in the way is named", () => {
  test("tests without end are stopped", async () => {
    const found = await verified(await patchBy("echo 'for (;;) ;' >> src/sum.js"), task({ timeoutMs: 1_500 }));
    expect(found).toMatchObject({ status: "tests-timed-out", exitCode: null, why: expect.stringContaining("1500 ms"), attempts: 1 });
    expect(resolvedBy(found)).toBe(false);
  });

  test("a log without a result says nothing, whatever the exit code", async () => {
    for (const command of ["echo ok 1 - adding two numbers", "head -c 3000 /dev/urandom; exit 1"]) {
      const found = await verified(await patchBy(mend), task({ command }));
      expect(found).toMatchObject({ status: "unparsable-log", failToPass: { passed: [], failed: [] }, attempts: 1 });
      expect(found.why).toContain("was the log cut?");
      expect(resolvedBy(found)).toBeNull();
    }
  });

  test("of a long log the last part is kept, as whole characters", async () => {
    const found = await verified(await patchBy(mend), task({ command: "node --test test/*.test.js; yes 😀 | head -n 5000; echo the end" }));
    expect(found.logTail?.length).toBeLessThanOrEqual(4_000);
    expect(found.logTail).toMatch(/the end\n$/);
    expect(found.logTail?.isWellFormed()).toBe(true);
  });
});

const broken = (): never => {
  throw new Fault("SANDBOX_BROKEN", "retry", "the sandbox did not start");
};

describe("trouble of the machine is no verdict", () => {
  test("a sandbox that broke twice is replaced twice", async () => {
    const breaksLater = (sandbox: Sandbox): Sandbox => ({ ...sandbox, exec: broken });
    const where = world(broken, breaksLater);
    expect(await verified(await patchBy(mend), task(), where)).toMatchObject({ status: "resolved", attempts: 3 });
    expect([where.opened(), where.destroyed()]).toEqual([3, 2]);
  });

  test("one that breaks again and again ends as nobody's word", async () => {
    const found = await verified(await patchBy(mend), task(), world(broken, broken, broken));
    expect(found).toMatchObject({ status: "infrastructure", why: "the sandbox did not start", attempts: 3, exitCode: null });
    expect(resolvedBy(found)).toBeNull();
  });

  test("a missing test runner, a full disk and a file that cannot be written are such troubles", async () => {
    const patch = await patchBy(mend);
    expect(await verified(patch, task({ command: "no-such-runner" }))).toMatchObject({
      status: "infrastructure",
      why: expect.stringContaining("127"),
    });
    expect(await verified(patch, task({ command: "echo 'write: No space left on device'; exit 1" }))).toMatchObject({
      status: "infrastructure",
      attempts: 3,
    });
    const full = (sandbox: Sandbox): Sandbox => ({ ...sandbox, put: async () => ({ ok: false, why: "disk full" }) });
    expect(await verified(patch, task(), world(full, full, full))).toMatchObject({
      status: "infrastructure",
      why: expect.stringContaining("disk full"),
    });
  });

  test("tests that ran are judged, though a disk was full or a program missing", async () => {
    const command = "node --test test/*.test.js; echo 'No space left on device'; no-such-program";
    expect(await verified(await patchBy("echo '//' >> src/sum.js"), task({ command }))).toMatchObject({
      status: "unresolved",
      exitCode: 127,
    });
  });

  test("other faults and bugs fly", async () => {
    const patch = await patchBy(mend);
    const missing = new Fault("SANDBOX_MISSING", "stop", "no such image");
    await expect(
      verified(
        patch,
        task(),
        world(() => {
          throw missing;
        }),
      ),
    ).rejects.toBe(missing);
    await expect(
      verified(
        patch,
        task(),
        world(() => {
          throw new TypeError("a bug");
        }),
      ),
    ).rejects.toThrow("a bug");
  });
});

describe("a task is checked before it is worked on", () => {
  test("one whose tests fail on the untouched tree is a task", async () => {
    const found = await checkTask(task(), world());
    expect(found).toMatchObject({ ok: true, value: { status: "unresolved", passToPass: { failed: [] } } });
  });

  test.each([
    ["a test that passes already", { failToPass: ["adding nothing", "adding two numbers"] }, "do so already: adding nothing"],
    ["tests that print nothing", { command: "true" }, "cannot be read on the untouched tree"],
    ["tests without end", { command: "sleep 60", timeoutMs: 200 }, "did not end within 200 ms"],
  ])("%s makes none", async (_, tests, why) => {
    expect(await checkTask(task(tests), world())).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  test("a machine that fails says nothing about the task", async () => {
    await expect(checkTask(task(), world(broken, broken, broken))).rejects.toThrow("run again");
    await expect(checkTask(task({ patch: "no diff\n" }), world())).rejects.toThrow("test patch does not apply");
  });
});
