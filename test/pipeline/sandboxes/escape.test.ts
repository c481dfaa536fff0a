import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../stages/lib/sandbox.ts";
import { mebibyte, mkfifo, openAt, realSites, run, temporaryFolder, treeOf } from "./lib.ts";

const confining = (await realSites()).filter(({ kind }) => kind.confines);
const secret = "host-secret-51f0";
const folder = temporaryFolder();
const secretFile = join(folder, "secret");
writeFileSync(secretFile, secret, { mode: 0o644 });
process.env["CATGEN_PLANTED_KEY"] = secret;

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => socket.end(secret)).listen(0, "0.0.0.0");
  await new Promise((resolve) => server.once("listening", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
  delete process.env["CATGEN_PLANTED_KEY"];
});

/** Shell functions for the probes. `won` is what a probe prints when it got what it must not get. */
const tools = 'won() { echo ESCAPED; }; reach() { timeout 2 bash -c "exec 3<>/dev/$1/$2/$3 && echo x >&3" 2>/dev/null; }';

/** Row 13 and 14 of the fault catalogue. Each says what it tries; none may succeed. */
const probes: Readonly<Record<string, () => string>> = {
  "reads a file of the host by its path": () => `cat ${secretFile} && won`,
  "reads it through the root of process 1": () => `cat /proc/1/root${secretFile} && won`,
  "reads it through the root of any process": () => `cat /proc/[0-9]*/root${secretFile} && won`,
  "reads it through a planted link": () => `ln -sf ${secretFile} lnk; cat lnk && won`,
  "reads it through ..": () => `cat ../../../../../..${secretFile} && won`,
  "links to it": () => `ln ${secretFile} hard && won`,
  "reads the host's password hashes": () => "grep -q '[$]' /etc/shadow && won",
  "finds this project": () => `[ ! -e ${join(import.meta.dirname, "escape.test.ts")} ] || won`,
  "finds somebody's home": () => "ls -A /root/.ssh /home/*/.ssh && won",
  "finds a key in its environment": () => `env | grep ${secret} && won`,
  "finds a key in anybody's environment": () => `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ${secret} && won`,
  "keeps a key in the keyring of the session that started it, which it could read as well": () =>
    `case $(uname -m) in x86_64) n=248 ;; aarch64) n=217 ;; *) n=-1 ;; esac
     perl -e "exit(syscall($n, 'user', 'catgen', 'x', 1, -3) < 0)" && won
     python3 -c "import ctypes; exit(ctypes.CDLL(None).syscall($n, b'user', b'catgen', b'x', 1, -3) < 0)" && won`,
  "sets up a ring of calls to the kernel": () =>
    `perl -e 'my $room = "\\0" x 200; exit(syscall(425, 4, $room) < 0)' && won
     python3 -c "import ctypes; exit(ctypes.CDLL(None).syscall(425, 4, ctypes.create_string_buffer(200)) < 0)" && won`,
  "sets a switch of the kernel": () => "echo core >/proc/sys/kernel/core_pattern && won",
  "sets off the kernel's emergency key": () => "echo h >/proc/sysrq-trigger && won",
  "reaches a server of the host": () => `reach tcp 127.0.0.1 ${port} && won`,
  "reaches a cloud's metadata": () => "reach tcp 169.254.169.254 80 && won",
  "reaches the internet": () => "reach tcp 1.1.1.1 443 && won",
  "asks a name server": () => "getent hosts example.com && won; reach udp 8.8.8.8 53 && won",
  "has a network device beside its own loop": () => "[ \"$(tail -n +3 /proc/net/dev | grep -vc ' *lo:')\" = 0 ] || won",
  "makes a user namespace": () => "unshare -Ur true && won",
  "makes a mount namespace": () => "unshare -m true && won",
  "enters the namespaces of process 1": () => `nsenter -t 1 -m -u -n -i cat ${secretFile} && won`,
  mounts: () => "mkdir -p m; mount -t tmpfs none m && won; mount --bind /usr m && won",
  "sees a process of the host": () => `[ -d /proc/${process.pid} ] && grep -aq vitest /proc/${process.pid}/cmdline && won`,
  "sees more processes than its own": () => "[ $(ls -d /proc/[0-9]* | wc -l) -lt 20 ] || won",
  "kills a process of the host": () => `kill -0 ${process.pid} && grep -aq vitest /proc/${process.pid}/cmdline && won`,
  "traces a process that is not its own": () =>
    "perl -e 'exit(syscall(101, 16, 1, 0, 0) == 0 && !syscall(101, 17, 1, 0, 0) && `cat /proc/1/environ` =~ /PLANTED/ ? 0 : 1)' && won",
  "becomes root through a setuid program": () =>
    "for at in su sudo mount passwd newgrp; do [ \"$(echo | timeout 2 $at -c 'cat /proc/self/status' root | grep -c 'CapEff:.*[1-9a-f]')\" = 0 ] || won; done",
  "becomes another through a setuid copy of its own": () =>
    "cp /bin/bash own; chmod 6755 own; before=$(id -u); after=$(./own -p -c 'id -u') && [ $after != $before ] && won",
  "holds a capability": () => "[ ! -r /proc/self/status ] || ! grep -E '^Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status || won",
  "types into the terminal it was started from": () =>
    'perl -e \'open(T, "+<", "/dev/tty") or exit 1; exit(ioctl(T, 0x5412, my $c = "x") ? 0 : 1)\' && won',
  "makes a device": () => "mknod disk b 8 0 && won; mknod memory c 1 1 && won",
  "reads a device of the host": () => "for at in sda sda1 vda vda1 nvme0n1 mem kmem kmsg port kvm fuse; do head -c 1 /dev/$at && won; done",
  "finds an engine's socket": () =>
    "for at in /var/run/docker.sock /run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock; do [ ! -S $at ] || won; done",
  "finds a descriptor left open by the host": () =>
    "for at in /proc/$$/fd/*; do case $(readlink $at) in pipe:* | socket:* | /dev/null | */pipe-* | host:* | /dev/pts/* | '') ;; *) won;; esac; done",
  "writes over the host's copy of its own start": () => "echo x >/proc/1/exe && won; echo x >/proc/self/exe && won",
  "raises a limit that was set": () => '[ "$(ulimit -Hf)" = unlimited ] && won; ulimit -f unlimited && won',
};

describe.each(confining)("out of $title nobody", (site) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openAt(site);
    await run(sandbox, tools);
  });
  afterAll(() => sandbox?.destroy());

  // gVisor grants namespaces of its own kernel; what is refused elsewhere is the host kernel's, where they open ways to attack it.
  const fitting = Object.entries(probes).filter(([name]) => site.kind.name !== "runsc" || name !== "makes a user namespace");
  test.each(fitting)("%s", async (_, command) => {
    const { output, timedOut } = await run(sandbox, `{ ${command()}; } 2>/dev/null; true`);
    expect(output).not.toContain("ESCAPED");
    expect(output).not.toContain(secret);
    expect(timedOut).toBe(false);
  });

  test.skipIf(spawnSync("perl", ["-v"]).status !== 0)("is heard in the host's abstract sockets", async () => {
    const name = `catgen-test-${process.pid}`;
    const connect = `socket(S, 1, 1, 0) or exit 2; exit(connect(S, pack("Sa108", 1, "\\0${name}")) ? 0 : 1)`;
    const listening = createServer().listen({ path: `\0${name}` });
    try {
      await new Promise((resolve, reject) => listening.once("listening", resolve).once("error", reject));
      expect(() => execFileSync("perl", ["-e", connect])).not.toThrow(); // from the host it is
      expect((await run(sandbox, `perl -e '${connect}'`)).exitCode).not.toBe(0);
    } finally {
      listening.close();
    }
  });

  test("writes into the host's programs, or anywhere else outside its own folders", async () => {
    const name = `catgen-planted-${process.pid}`;
    const places = [
      "/",
      "/etc",
      "/usr",
      "/usr/bin",
      "/usr/local/bin",
      "/opt",
      "/var",
      "/run",
      "/srv",
      "/root",
      "/home",
      "/tmp",
      "/dev",
      "/dev/shm",
      folder,
    ];
    await run(sandbox, `for at in ${places.join(" ")}; do mkdir -p $at; echo x >$at/${name}; done`);
    expect(places.filter((place) => existsSync(join(place, name)))).toEqual([]);
  });

  test("kills everything it can reach, and the host with it", async () => {
    expect(await run(sandbox, "kill -9 -1; kill -9 1; kill -9 $PPID")).toMatchObject({ timedOut: false });
    expect(await run(sandbox, `${tools}; echo back`)).toMatchObject({ output: "back\n", exitCode: 0 });
    expect((await sandbox.put(`${site.workdir}/after`, "x")).ok).toBe(true);
  });

  test("is followed by us over a planted link, hard link or FIFO", async () => {
    await run(sandbox, `ln -sf ${secretFile} stolen; ln -sf /proc/1/root${secretFile} deep; ln -sfn / all; mkfifo pipe`);
    for (const path of ["stolen", "deep", `all${secretFile}`, "pipe"])
      expect((await sandbox.get(`${site.workdir}/${path}`, mebibyte)).ok, path).toBe(false);
    await sandbox.put(`${site.workdir}/stolen`, "overwritten");
    await sandbox.put(`${site.workdir}/../../../../..${secretFile}`, "overwritten");
    expect(readFileSync(secretFile, "utf8")).toBe(secret);
    const shot = await sandbox.snapshot(site.workdir, 10 * mebibyte);
    expect(shot.ok && Buffer.from(shot.bytes).includes(secret)).toBe(false);
    expect(shot.ok).toBe(true);
  });

  test("is obeyed by us through hooks and settings of git", async () => {
    const mark = join(folder, "obeyed");
    const plant = `#!/bin/sh\\necho x >${mark}; cat ${secretFile} >${site.workdir}/obeyed`;
    await run(
      sandbox,
      `git init -q .; printf '${plant}' >hook; chmod +x hook; mkdir -p .git/hooks; for at in pre-commit post-checkout post-index-change; do cp hook .git/hooks/$at; done`,
    );
    await run(sandbox, `git config core.fsmonitor ./hook; git config diff.external ./hook; git config core.hooksPath .`);
    const shot = await sandbox.snapshot(site.workdir, 10 * mebibyte);
    const copy = await openAt(site, { tree: { tar: shot.ok ? shot.bytes : new Uint8Array() } });
    await run(copy, "git status; git diff");
    expect(await copy.get(`${site.workdir}/obeyed`, mebibyte).finally(() => copy.destroy())).not.toMatchObject({
      ok: true,
      bytes: Buffer.from(secret),
    });
    expect(existsSync(mark)).toBe(false);
  });

  test("climbs out of the working folder with a tar that was tampered with", async () => {
    const evil = treeOf({ "inner/x": "climbed" });
    const tar = execFileSync("tar", ["-P", "-cf", "-", "-C", join(evil, "inner"), `--transform=s#^x#${folder}/climbed#`, "x"]);
    const dots = execFileSync("tar", [
      "-P",
      "-cf",
      "-",
      "-C",
      join(evil, "inner"),
      `--transform=s#^x#../../../../../..${folder}/climbed#`,
      "x",
    ]);
    for (const bytes of [tar, dots])
      await openAt(site, { tree: { tar: bytes } }).then(
        (opened) => opened.destroy(),
        () => undefined,
      );
    expect(existsSync(join(folder, "climbed"))).toBe(false);
    rmSync(evil, { recursive: true });
  });

  test("smuggles a file of the host in with the tree", async () => {
    const tree = treeOf({ "a.txt": "a", "A.txt": "A", "sub/.git/config": "[core]", ".git/HEAD": "ref: refs/heads/answer" });
    mkdirSync(join(tree, "sub"), { recursive: true });
    symlinkSync(secretFile, join(tree, "link"));
    symlinkSync(folder, join(tree, "folder-link"));
    linkSync(join(tree, "a.txt"), join(tree, "hard"));
    mkfifo(join(tree, "fifo"));
    const opened = await openAt(site, { tree: { folder: tree } });
    const seen = await run(
      opened,
      "ls; cat link folder-link/* 2>/dev/null; cat a.txt A.txt hard; echo; git log --all --oneline | wc -l; [ -e sub/.git ] || echo clean",
    ).finally(() => opened.destroy());
    expect(seen.output).toBe(`A.txt\na.txt\nfolder-link\nhard\nlink\nsub\naAa\n1\nclean\n`);
    rmSync(tree, { recursive: true });
  });
});

test("the probes themselves are able to succeed: on the open host several do", () => {
  const lost = ["reads a file of the host by its path", "finds a key in its environment", "sees a process of the host"].filter((name) =>
    execFileSync("bash", ["-c", `${tools}; { ${probes[name]?.()}; } 2>/dev/null; true`], { encoding: "utf8" }).includes("ESCAPED"),
  );
  expect(lost.length).toBe(3);
});
