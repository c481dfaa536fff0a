import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { descendants } from "../../pipeline/sandboxes/host-processes.ts";
import type { Sandbox } from "../../stages/lib/sandbox.ts";
import { fakeSite, isLinux, limits, liveWith, mebibyte, openAt, realSites, run, treeOf, until } from "../pipeline/sandboxes/lib.ts";

const sites = await realSites();
const fake = isLinux ? fakeSite() : null;
afterAll(() => fake?.remove());
const all = [...sites, ...(fake === null ? [] : [fake])];

describe.each(all)("sandbox $title", (site) => {
  let tree: string;
  let sandbox: Sandbox;
  beforeAll(async () => {
    tree = treeOf({ "README.md": "A project.\n", "src/a.txt": "one\ntwo\n" });
    sandbox = await openAt(site, { tree: { folder: tree } });
  });
  afterAll(async () => {
    await sandbox?.destroy();
    rmSync(tree, { recursive: true });
  });
  /** Containers of the fake share one folder of the host. */
  const emptied = async (): Promise<void> => void (site === fake && (await run(sandbox, "rm -rf ./* .git")));
  const inside = (path: string): string => `${site.workdir}/${path}`;
  const text = async (path: string): Promise<string> => {
    const got = await sandbox.get(path, mebibyte);
    return got.ok ? Buffer.from(got.bytes).toString() : got.why;
  };

  describe("the shell", () => {
    test("starts in the working folder, and keeps folder, variables and functions from command to command", async () => {
      expect(await run(sandbox, "pwd")).toEqual({
        output: `${site.workdir}\n`,
        exitCode: 0,
        timedOut: false,
        shellLost: false,
        droppedBytes: 0,
        lossy: false,
      });
      await run(sandbox, "cd src; export A=1; b='two words'; greet() { echo \"hi $1\"; }");
      expect((await run(sandbox, 'pwd; echo "$A $b"; greet you')).output).toBe(`${inside("src")}\n1 two words\nhi you\n`);
      await run(sandbox, `cd ${site.workdir}`);
    });

    test.each([
      ["true", 0],
      ["false", 1],
      ["(exit 7)", 7],
      ["bash -c 'kill -9 $$'", 137],
      ["no-such-program-here 2>/dev/null", 127],
    ])("%s ends with %i", async (command, code) => {
      expect(await run(sandbox, command)).toMatchObject({ exitCode: code, output: "", shellLost: false });
    });

    test("stdout and stderr come in the order they were written, also by name", async () => {
      const { output } = await run(
        sandbox,
        "echo 1; echo 2 >&2; echo 3; echo 4 >/dev/stderr; echo 5 | tee /dev/stderr; bash -c 'echo 6 >&2'",
      );
      expect(output).toBe("1\n2\n3\n4\n5\n5\n6\n");
    });

    test("stdin is empty", async () => {
      expect((await run(sandbox, "cat; read line || echo nothing; wc -c")).output).toBe("nothing\n0\n");
    });

    test.each([
      'echo "open',
      "echo 'open",
      "cat <<END\nnever ended",
      "if true; then",
      "echo $(",
      "echo `",
      "for",
      "}",
      "done",
      "f() {",
      "echo \\",
      ": ' ; exit ; '",
    ])("%j swallows nothing", async (command) => {
      const { shellLost, timedOut } = await run(sandbox, command, 5_000);
      expect({ shellLost, timedOut }).toEqual({ shellLost: false, timedOut: false });
      expect((await run(sandbox, "echo still here")).output).toBe("still here\n");
    });

    test("redirecting the shell itself, tracing it and trapping its steps lead no output astray", async () => {
      await run(sandbox, "exec >astray 2>&1; trap 'echo step' DEBUG; set -x");
      expect((await run(sandbox, "trap - DEBUG; set +x; rm astray")).shellLost).toBe(false);
      expect((await run(sandbox, "echo back")).output).toBe("back\n");
    });

    test.each([
      "eval() { :; }",
      "alias eval=:",
      "printf() { :; }",
      "alias printf=: builtin=:",
      "builtin() { :; }",
      "exit() { :; }; return() { :; }; unset() { :; }",
      "unset -f eval printf; unset PATH IFS HOME",
      "exec >/dev/null 2>&1",
      "exec 0<&- 1>&- 2>&-",
      "exec 187>&-",
      "exec 187>/dev/null",
      "set -eu; false",
      "set -e; set -o pipefail; true",
      "trap 'exec >/dev/null' EXIT; trap ':' DEBUG ERR RETURN",
      "shopt -s extdebug; trap 'false' DEBUG",
      "shopt -s extdebug; trap '[[ $BASH_COMMAND != *eval* ]]' DEBUG",
      "enable -n eval printf",
      "PROMPT_COMMAND='exec 187>/dev/null'",
      "set -o posix; export POSIXLY_CORRECT=1",
    ])("%j silences no later command unnoticed", async (trick) => {
      const notices: boolean[] = [];
      let output = "";
      for (const command of [trick, "echo heard", "echo heard"]) {
        const ran = await run(sandbox, command, 1_500);
        notices.push(ran.shellLost || ran.timedOut);
        output = ran.output;
        if (command !== trick && !ran.shellLost && !ran.timedOut) expect(ran.output).toBe("heard\n");
      }
      expect(output).toBe("heard\n"); // at the latest after one notice
      expect(notices.at(-1)).toBe(false);
      await run(sandbox, "exit"); // a new shell for the next
    });

    test("errors that end a script end a command only", async () => {
      const failing = await run(sandbox, 'echo "${' + 'nope?is missing}"; echo unreached');
      expect(failing).toMatchObject({ shellLost: false, exitCode: 1 });
      expect(failing.output).toContain("is missing");
      expect(failing.output).not.toContain("unreached");
      expect(await run(sandbox, "return 3; echo $?")).toMatchObject({ shellLost: false });
    });

    test("a long command of many lines arrives as it is", async () => {
      const lines = Array.from({ length: 5_000 }, (_, line) => `it's "line" ${line} $HOME \\ \`x\``);
      const { output } = await run(sandbox, `cat <<'END'\n${lines.join("\n")}\nEND`);
      expect(output).toBe(`${lines.join("\n")}\n`);
    });

    test("a process in the background that holds the output open keeps nobody waiting", async () => {
      const startedMs = performance.now();
      expect((await run(sandbox, "sleep 300 & echo started")).output).toMatch(/started\n$/);
      expect(performance.now() - startedMs).toBeLessThan(10_000);
      expect((await run(sandbox, "kill %1; wait; echo gone")).output).toMatch(/gone\n$/);
    });

    test("what the background prints between two commands is no part of the next", async () => {
      await run(sandbox, "(until [ -e flag ]; do sleep 0.01; done; echo late; touch done) &");
      await sandbox.put(inside("flag"), "");
      await until(() => false, 0);
      for (let look = 0; (await text(inside("done"))) === "missing" && look < 500; look += 1);
      expect((await run(sandbox, "rm flag done; echo mine")).output).toBe("mine\n");
    });

    test.each(["exit 3", "exec true", "kill -9 $$"])("after `%s` a new shell starts in the working folder", async (command) => {
      await run(sandbox, "cd /; left=over");
      expect(await run(sandbox, `echo before; ${command}; echo after`)).toMatchObject({ exitCode: null, shellLost: true, timedOut: false });
      expect(await run(sandbox, 'pwd; echo "[$left]"')).toMatchObject({ output: `${site.workdir}\n[]\n`, shellLost: false });
    });

    test("the last words of a shell that ends are kept", async () => {
      expect((await run(sandbox, "echo last words; exit")).output).toMatch(/^last words\n/);
    });
  });

  describe("output", () => {
    test("bytes over the limit are dropped in the middle, and counted", async () => {
      const { output, droppedBytes } = await run(sandbox, "seq 100000", 20_000, 1_000);
      expect(output.startsWith("1\n2\n3\n")).toBe(true);
      expect(output.endsWith("\n99999\n100000\n")).toBe(true);
      expect(output.length).toBe(1_000);
      expect(droppedBytes).toBe(588_895 - 1_000);
    });

    test("a gigabyte is read, dropped and costs no memory", async () => {
      const before = process.memoryUsage().rss;
      const bytes = site === fake ? 100_000_000 : 1_000_000_000; // of its processes each is a Node, and slow
      const { output, droppedBytes, exitCode } = await run(sandbox, `head -c ${bytes} /dev/zero`, 120_000, 10_000);
      expect([output.length, droppedBytes, exitCode]).toEqual([10_000, bytes - 10_000, 0]);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * mebibyte);
    });

    test("text is text however it is cut", async () => {
      const { output, lossy } = await run(sandbox, "for i in 1 2 3; do printf '\\xf0\\x9f'; sleep 0.02; printf '\\x98\\x80é'; done");
      expect({ output, lossy }).toEqual({ output: "😀é😀é😀é", lossy: false });
      expect((await run(sandbox, "for i in $(seq 1000); do printf '😀'; done", 20_000, 1_001)).lossy).toBe(false);
    });

    test("binary is marked lossy, zero bytes pass", async () => {
      expect(await run(sandbox, "printf 'a\\0b\\xff\\xfec'")).toMatchObject({ output: "a\0b\ufffd\ufffdc", lossy: true });
      expect((await run(sandbox, "head -c 100000 /dev/urandom")).lossy).toBe(true);
      expect((await run(sandbox, "echo fine")).output).toBe("fine\n");
    });
  });

  describe("time-out", () => {
    test.each([
      "sleep 100",
      "while :; do sleep 1; done",
      "while :; do :; done",
      "loop() { while :; do sleep 0.05; done; }; loop",
      "timeout 100 sleep 100",
      "while :; do timeout 100 sleep 100; done",
      "sleep 100 | cat",
      "(sleep 100; echo also not reached)",
    ])("`%s` is interrupted, folder and variables survive", async (command) => {
      await run(sandbox, "cd src; kept=yes");
      expect(await run(sandbox, `echo begun; ${command}; echo not reached`, 150)).toEqual({
        output: "begun\n",
        exitCode: null,
        timedOut: true,
        shellLost: false,
        droppedBytes: 0,
        lossy: false,
      });
      expect((await run(sandbox, "trap - INT; pwd; echo $kept")).output).toBe(`${inside("src")}\nyes\n`);
      await run(sandbox, `cd ${site.workdir}`);
    });

    test.each(["trap '' INT; sleep 100", "bash -c 'trap : INT; while :; do sleep 1; done'"])(
      "`%s` heeds no interrupt, and is killed",
      async (command) => {
        await run(sandbox, "cd src; kept=yes");
        expect(await run(sandbox, `echo begun; ${command}`, 150)).toMatchObject({
          output: expect.stringMatching(/^begun\n/),
          exitCode: null,
          timedOut: true,
          shellLost: false,
        });
        expect((await run(sandbox, "trap - INT; pwd; echo $kept")).output).toBe(`${inside("src")}\nyes\n`);
        await run(sandbox, `cd ${site.workdir}`);
      },
    );

    test("what runs in the background survives an interrupt", async () => {
      await run(sandbox, "sleep 300 &");
      expect(await run(sandbox, "sleep 100", 200)).toMatchObject({ timedOut: true, shellLost: false });
      expect((await run(sandbox, "kill %1 && echo it lived")).output).toBe("it lived\n");
    });

    test("a shell that heeds no interrupt is ended with all that it started, and another one starts", async () => {
      await run(sandbox, "sleep 31415 & disown; kept=yes");
      expect(await run(sandbox, "trap '' INT; while :; do :; done", 200)).toMatchObject({
        timedOut: true,
        shellLost: true,
        exitCode: null,
      });
      expect(await run(sandbox, 'pwd; echo "[$kept]"')).toMatchObject({ output: `${site.workdir}\n[]\n`, shellLost: false });
      expect(liveWith("sleep 31415")).toEqual([]);
    });
  });

  describe("files", () => {
    const names = [
      "plain.txt",
      "with space",
      "quote'\"quote",
      "-dash",
      "new\nline",
      "tab\t",
      "$HOME`x`;rm *",
      "ünï/😀/deep",
      "back\\slash",
      "*",
    ];

    test.each(names)("%j is written, seen inside, read", async (name) => {
      const content = `${name}\nsecond line without end`;
      expect(await sandbox.put(inside(`files/${name}`), content)).toEqual({ ok: true });
      expect(await text(inside(`files/${name}`))).toBe(content);
    });

    test("every byte comes back", async () => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 256);
      expect(await sandbox.put(inside("bytes"), bytes)).toEqual({ ok: true });
      const got = await sandbox.get(inside("bytes"), bytes.length);
      expect(got.ok && Buffer.from(got.bytes).equals(bytes)).toBe(true);
      expect(await sandbox.put(inside("empty"), "")).toEqual({ ok: true });
      expect(await text(inside("empty"))).toBe("");
    });

    test("a file that is written again keeps its rights, and a link to it stays a link", async () => {
      await run(sandbox, "printf old >tool; chmod 755 tool; ln -s tool link");
      expect(await sandbox.put(inside("link"), "new")).toEqual({ ok: true });
      expect((await run(sandbox, "cat tool; [ -x tool ] && echo ' runs'; readlink link")).output).toBe("new runs\ntool\n");
    });

    test("what cannot be read or written is told apart, and a FIFO keeps nobody waiting", async () => {
      await run(
        sandbox,
        "mkdir folder; mkfifo fifo; ln -s fifo to-fifo; ln -s nowhere broken; head -c 2000 /dev/zero >big; truncate -s 90M sparse",
      );
      const whys: Record<string, string> = {};
      for (const name of ["none", "folder", "fifo", "to-fifo", "broken", "big", "sparse", "a\0b"]) {
        const got = await sandbox.get(inside(name), 1_999);
        whys[name] = got.ok ? "ok" : got.why;
      }
      expect(whys).toEqual({
        none: "missing",
        folder: "folder",
        fifo: "special",
        "to-fifo": "special",
        broken: "missing",
        big: "too-large",
        sparse: "too-large",
        "a\0b": "missing",
      });
      expect(await sandbox.get("/dev/zero", 10)).toEqual({ ok: false, why: "special" });
      for (const name of ["folder", "fifo", "tool/below"]) expect((await sandbox.put(inside(name), "x")).ok, name).toBe(false);
      expect(await text(inside("README.md"))).toBe("A project.\n");
    });

    test("the agent's aliases, functions, variables and start-up files touch neither reading nor writing", async () => {
      await run(
        sandbox,
        "cat() { echo fooled; }; export -f cat; alias head='echo fooled'; PATH=/nowhere; IFS=x; printf 'echo fooled; exit 9\\n' >~/.bashrc",
      );
      expect(await sandbox.put(inside("a/b"), "true")).toEqual({ ok: true });
      expect(await text(inside("a/b"))).toBe("true");
      expect((await run(sandbox, "exit")).shellLost).toBe(true);
      expect((await run(sandbox, "echo sane")).output).toBe("sane\n");
    });

    test("a snapshot opens another sandbox with the same files, repository and links", async () => {
      await emptied();
      const source = await openAt(site, { tree: { folder: tree } });
      try {
        await run(
          source,
          "printf 'changed\\n' >src/a.txt; ln -s src/a.txt link; chmod +x README.md; mkfifo fifo; mkdir -p 'odd\nname'; touch 'odd\nname/x'",
        );
        const look = "git status --porcelain; readlink link; cat link; ls -R . | grep -v '^total'";
        const [before, shot] = [await run(source, look), await source.snapshot(site.workdir, 10 * mebibyte)];
        expect(shot.ok).toBe(true);
        const small = await source.snapshot(site.workdir, 100);
        expect(small).toEqual({ ok: false, why: expect.stringContaining("more than 100 bytes") });
        expect((await source.snapshot("/nowhere", 100)).ok).toBe(false);
        if (site === fake) return; // its containers share the host's folder
        const copy = await openAt(site, { tree: { tar: shot.ok ? shot.bytes : new Uint8Array() } });
        expect((await run(copy, look).finally(() => copy.destroy())).output).toBe(before.output);
      } finally {
        await source.destroy();
      }
    });
  });

  test("the tree stands there with a repository of one commit, always the same", async () => {
    const commits: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await emptied();
      const fresh = await openAt(site, { tree: { folder: tree } });
      commits.push(
        (await run(fresh, "git status --porcelain; git rev-list --all --reflog; git log -1 --format=%an,%s").finally(() => fresh.destroy()))
          .output,
      );
    }
    expect(commits[0]).toMatch(/^[0-9a-f]{40}\ncatgen,Start of the task\n$/);
    expect(commits[1]).toBe(commits[0]);
  });

  test("eight at once do not see each other", async () => {
    if (site === fake) return;
    const many = await Promise.all(Array.from({ length: 8 }, () => openAt(site)));
    const outputs = await Promise.all(
      many.map(async (one, index) => {
        await run(one, `echo ${index} >mine; x=${index}`);
        return (await run(one, "cat mine; echo $x; ls")).output;
      }),
    );
    await Promise.all(many.map((one) => one.destroy()));
    expect(outputs).toEqual(many.map((_, index) => `${index}\n${index}\nmine\n`));
  });

  test("after destroy nothing runs, however it was detached; a second destroy does nothing", async () => {
    const before = (await descendants(process.pid)).length;
    const doomed = await openAt(site);
    await doomed.put(inside("x"), "x");
    await run(doomed, "setsid nohup sleep 27182 >/dev/null 2>&1 & (sleep 27182 &); sleep 27182 &");
    await doomed.destroy();
    await doomed.destroy();
    expect(await until(() => liveWith("sleep 27182").length === 0)).toBe(true);
    expect((await descendants(process.pid)).length).toBe(before);
  });
});

describe.each(sites.filter(({ kind }) => kind.confines))("sandbox $title keeps the machine unharmed by", (site) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openAt(site);
  });
  afterAll(() => sandbox?.destroy());
  const usable = async (): Promise<void> => {
    expect((await run(sandbox, "echo usable")).output).toMatch(/^usable$/m); // what was left in the background may have its say
    expect(await sandbox.put(`${site.workdir}/probe`, "x")).toEqual({ ok: true });
  };

  test("a fork bomb", async () => {
    const before = (await descendants(process.pid)).length;
    let most = 0;
    const counting = setInterval(async () => {
      most = Math.max(most, (await descendants(process.pid)).length - before);
    }, 100);
    const { timedOut, shellLost, exitCode } = await run(sandbox, "bomb() { bomb | bomb & }; bomb; sleep 100", 2_000).finally(() =>
      clearInterval(counting),
    );
    expect(timedOut || shellLost || exitCode !== 0).toBe(true);
    expect(most).toBeLessThan(limits.processes + 300); // gVisor: its own threads' processes
    await usable();
  });

  test.each([
    ["one process", "head -c 3G /dev/zero | tail -c 2G | wc -c"],
    [
      "many processes together",
      "for i in 1 2 3 4 5 6 7 8; do (head -c 200M /dev/zero | tail -c 200M | (sleep 1; wc -c)) & done; wait; false",
    ],
    ["shared memory", "head -c 3G /dev/zero >/dev/shm/hog"],
  ])("a memory hog: %s", async (_, command) => {
    const { output, exitCode, shellLost } = await run(sandbox, command, 30_000);
    expect(shellLost || exitCode !== 0 || !/^(2147483648|3221225472)$/m.test(output)).toBe(true);
    await run(sandbox, "rm -f /dev/shm/hog");
    await usable();
  });

  test("a file of 200 MB", async () => {
    await run(sandbox, "head -c 200000000 /dev/zero >big", 30_000);
    const size = Number((await run(sandbox, "wc -c <big")).output);
    expect(size).toBeLessThanOrEqual(limits.fileBytes);
    await run(sandbox, "rm big");
    await usable();
  });

  test("many files: all is stopped, the agent is told, and goes on when it has deleted some", async () => {
    const filled = await run(sandbox, "for i in 1 2 3 4 5 6; do head -c 90000000 /dev/zero >full$i; done; sleep 6", 60_000);
    expect(filled).toMatchObject({ exitCode: null, shellLost: true, timedOut: false });
    expect(filled.output).toContain("more than 300 MiB written to disk");
    await run(sandbox, "rm full*");
    for (let look = 0; look < 50 && (await run(sandbox, "sleep 0.2")).exitCode !== 0; look += 1);
    await usable();
  });

  test("the death of its parent: everything inside dies with it", async () => {
    const file = join(import.meta.dirname, "../pipeline/sandboxes/parent.ts");
    const parent = spawn(process.execPath, ["--import", "tsx", file, site.kind.name, site.image ?? ""], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => parent.stdout.once("data", resolve));
    const ofParent = () => [...liveWith("sleep 16180"), ...liveWith(`-${parent.pid}-`)].filter((line) => !line.includes("parent.ts"));
    expect(ofParent()).not.toEqual([]);
    parent.kill("SIGKILL");
    expect(await until(() => ofParent().length === 0)).toBe(true);
  });
});
