import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { sandboxKinds } from "../../../pipeline/sandboxes/index.ts";
import { Rollout } from "../../../schemas/rollout.ts";
import { makePlace, type Place, startCatgen } from "../../e2e/harness.ts";

/** Agents that harm what they can reach: every run of theirs gets a clear status, the others go on, the machine is as before. */

const probed = await sandboxKinds.bwrap.probe();
if (!probed.ok) console.log(`skipped: agents that do harm: ${probed.why}`);
const here = test.skipIf(!probed.ok);

/** In the command line of everything that these agents start and that should not outlive them. */
const brand = `catgen-brand-${process.pid}`;

const mend = "sed -i 's/a - b/a + b/' sum.js && node -e 'import(\"./sum.js\").then(({add}) => console.log(add(2, 3)))'";
const editor = (given: Record<string, unknown>) => ({ name: "str_replace_editor", arguments: given });
type Act = string | { readonly name: string; readonly arguments: Record<string, unknown> };

/** What each agent does before it hands in. */
const agents: Readonly<Record<string, readonly Act[]>> = {
  "a-fills-disk": ["for i in 1 2 3 4 5 6 7 8 9 10; do head -c 100000000 /dev/zero >big$i; done", "echo alive", "rm -f big*", mend],
  "b-forks": [
    `bash -c '${brand.replaceAll("-", "_")}() { ${brand.replaceAll("-", "_")} | ${brand.replaceAll("-", "_")} & }; ${brand.replaceAll("-", "_")}'`,
    mend,
  ],
  "c-kills": ["kill -9 $PPID; kill -9 -1; kill -9 $$; echo after", "kill -9 1; exec 1>&- 2>&-; exit 3", mend],
  "d-plants-links": [
    "ln -s /etc/passwd passwd; ln -s / root; ln -s ../../../../../../etc/hostname host; ln -sf /etc/hostname package.json",
    editor({ command: "view", path: "/workspace/sum/passwd" }),
    editor({ command: "create", path: "/workspace/sum/root/etc/catgen-was-here", file_text: "x" }),
    editor({ command: "str_replace", path: "/workspace/sum/host", old_str: "a", new_str: "b" }),
    "rm package.json root host; git checkout -q package.json",
    mend,
  ],
  "e-prints-binary": ["head -c 300000 /dev/urandom; printf '\\000\\033[31m\\377'", "cat /proc/self/exe | head -c 5000", mend],
  "f-never-ends": [`setsid sleep 97${process.pid} & nohup bash -c 'while :; do echo ${brand}; done'`, mend],
  "g-eats-memory": ["node -e 'const a = []; for (;;) a.push(Buffer.alloc(1 << 24, 1))'; echo code $?", mend],
  "h-good": ["cat sum.js", mend],
};

const policy = (acts: readonly Act[]): string =>
  stringify({
    turns: [
      ...acts.map((act) => ({
        thought: "I act.",
        call: typeof act === "string" ? { name: "execute_bash", arguments: { command: act } } : act,
      })),
      { thought: "Done.", call: { name: "submit", arguments: {} } },
    ],
  });

const hidden = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../sum.js";
test("adds", () => assert.equal(add(2, 3), 5));
`;

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.write("sum/package.json", '{ "type": "module" }\n');
  await place.write("sum/sum.js", "export const add = (a, b) => a - b;\n");
  await write("tasks", agents);
});
afterAll(() => place.remove());

async function write(folder: string, all: Readonly<Record<string, readonly Act[]>>): Promise<void> {
  for (const [id, acts] of Object.entries(all)) {
    const tests = { command: "node --test", log: "node-test", failToPass: ["adds"] };
    await place.write(`${folder}/${id}/task.yaml`, stringify({ id, title: id, problem: "add subtracts.", tree: "../../sum", tests }));
    await place.write(`${folder}/${id}/tests/hidden/sum.test.js`, hidden);
    await place.write(`${folder}/${id}/policy.yaml`, policy(acts));
  }
}

const settings = {
  "generate.rollout.agent": "scripted",
  "generate.rollout.checkTasks": "false",
  "generate.rollout.commandSeconds": "4",
  "generate.rollout.sandbox.kind": "bwrap",
  "generate.rollout.sandbox.memoryMegabytes": "512",
  "generate.rollout.sandbox.processes": "128",
  "generate.rollout.sandbox.fileMegabytes": "64",
  "generate.rollout.sandbox.diskMegabytes": "200",
};
const run = (name: string, tasks: string) => [
  ...["run", "1", "--run", name, "--tasks", join(place.folder, tasks), "--jobs", "4", "--quiet"],
  ...Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]),
];

/** Command lines of all processes on this machine that hold `text`. */
const alive = (text: string): string[] =>
  readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const line = readFileSync(`/proc/${entry}/cmdline`, "latin1").replaceAll("\0", " ");
      return line.includes(text) ? [line] : [];
    } catch {
      return []; // ended meanwhile
    }
  });
const scratchOf = async (pid: number | undefined): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => new RegExp(`^catgen-sandbox-[0-9a-f]+-${pid}-`).test(name));

const theirs = [brand, brand.replaceAll("-", "_"), `sleep 97${process.pid}`];

here("agents that do harm get a clear status, the good one is resolved, and nothing of theirs is left", async () => {
  const hostFiles = ["/etc/passwd", "/etc/hostname"].map((path) => readFileSync(path, "utf8"));
  const child = startCatgen(place.runs, run("bad", "tasks"));
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said += bytes.toString();
  });
  expect(await new Promise((resolve) => child.once("close", resolve)), said).toBe(0);

  for (const text of theirs) expect(alive(text)).toEqual([]);
  expect(await scratchOf(child.pid)).toEqual([]);
  expect(["/etc/passwd", "/etc/hostname"].map((path) => readFileSync(path, "utf8"))).toEqual(hostFiles);
  expect(readdirSync("/etc")).not.toContain("catgen-was-here");

  const done = join(place.runs, "bad", "rollouts", "done");
  const texts = await Promise.all((await readdir(done)).sort().map((file) => readFile(join(done, file), "utf8")));
  const records = new Map(texts.map((text) => Rollout.parse(JSON.parse(text))).map((record) => [record.instance, record]));
  const results = (id: string): string[] => records.get(id)?.turns.map(({ calls }) => calls[0]?.result ?? "") ?? [];
  expect([...records].map(([id, { end }]) => [id, end.exit])).toEqual(Object.keys(agents).map((id) => [id, "submitted"]));
  const sane = [...records].filter(([id]) => id !== "b-forks"); // whether its last command finds room for a process is chance
  expect(sane.map(([id, { verification }]) => [id, verification?.status])).toEqual(sane.map(([id]) => [id, "resolved"]));
  expect(results("a-fills-disk")[0]).toMatch(/every process was stopped: .*disk|File size limit exceeded/i);
  expect(results("b-forks").join("\n")).toMatch(/fork: .*(?:unavailable|Interrupted)/);
  expect(results("c-kills").join("\n")).toContain("[The shell was restarted");
  expect(results("d-plants-links")[1]).toContain("agent:x:1000"); // the sandbox' accounts, not the host's
  expect(results("d-plants-links").slice(2, 4)).toEqual([expect.stringContaining("ERROR"), expect.stringContaining("ERROR")]);
  expect(results("e-prints-binary")[0]).toContain("no UTF-8 text");
  expect(results("e-prints-binary")[0]?.length).toBeLessThan(17_000);
  expect(results("f-never-ends")[0]).toContain("timed out after 4 seconds");
  expect(results("g-eats-memory")[0]).toMatch(/every process was stopped|code (?:1[0-9]{2})/);
});

here("kill -9 of catgen leaves no process, and the next run clears away its folders and goes on", async () => {
  await write("endless", { "sum-1": [`setsid sleep 96${process.pid} & sleep 95${process.pid}`, mend] });
  const child = startCatgen(place.runs, run("killed", "endless"));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const ours = [`sleep 96${process.pid}`, `sleep 95${process.pid}`];
  const wait = async (fine: () => boolean): Promise<void> => {
    while (!fine()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await wait(() => ours.every((text) => alive(text).length > 0));
  child.kill("SIGKILL");
  await ended;
  await wait(() => ours.every((text) => alive(text).length === 0)); // the suite's own time limit says when it is too late
  expect(await scratchOf(child.pid)).not.toEqual([]);
  writeFileSync(join(place.folder, "endless", "sum-1", "policy.yaml"), policy([mend]));
  const again = await place.catgen(run("killed", "endless"));
  expect([again.code, await scratchOf(child.pid)]).toEqual([0, []]);
});
