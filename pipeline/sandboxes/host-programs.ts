import { lstat, mkdir, readlink, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What a sandbox without an image sees of the host, all of it read-only: programs and libraries, nothing of any user. */
export interface HostPrograms {
  readonly binds: readonly { readonly from: string; readonly at: string }[];
  /** `/bin` -> `usr/bin` and its like, where the host has it so. */
  readonly links: readonly { readonly to: string; readonly at: string }[];
  /** The installation of Node that runs us, where it lies outside `/usr`: a user's folder, perhaps closed to others. */
  readonly node: { readonly from: string; readonly at: string } | null;
  readonly environment: Readonly<Record<string, string>>;
}

/** Ids inside; what they are outside is the kind's affair. */
export const agentId = 1_000;
export const agentHome = "/home/agent";

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Whole installation (npm lives in its `lib`), or the program alone where it stands in somebody's `bin` among others. */
async function nodeOutsideUsr(): Promise<HostPrograms["node"]> {
  const program = await realpath(process.execPath);
  if (program.startsWith("/usr/")) return null;
  const folder = dirname(dirname(program));
  const whole = basename(dirname(program)) === "bin" && (await exists(join(folder, "lib/node_modules/npm")));
  return whole ? { from: folder, at: "/opt/node" } : { from: program, at: "/opt/node/bin/node" };
}

export async function hostPrograms(): Promise<HostPrograms> {
  const binds = [{ from: "/usr", at: "/usr" }];
  const links: { to: string; at: string }[] = [];
  for (const at of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const entry = await lstat(at).catch(() => null);
    if (entry?.isSymbolicLink()) links.push({ to: await readlink(at), at });
    else if (entry !== null) binds.push({ from: at, at });
  }
  for (const at of ["/etc/alternatives", "/etc/ld.so.cache"]) if (await exists(at)) binds.push({ from: at, at });
  const node = await nodeOutsideUsr();
  const environment = {
    PATH: `${node === null ? "" : "/opt/node/bin:"}/usr/local/bin:/usr/bin:/bin`,
    HOME: agentHome,
    USER: "agent",
    LANG: "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
  };
  return { binds, links, node, environment };
}

/** The few files of `/etc` that programs look for, about nobody of this host. */
export async function writeEtc(folder: string): Promise<readonly string[]> {
  const files = {
    passwd: `root:x:0:0:root:/root:/bin/bash\nagent:x:${agentId}:${agentId}::${agentHome}:/bin/bash\nnobody:x:65534:65534::/nonexistent:/bin/false\n`,
    group: `root:x:0:\nagent:x:${agentId}:\nnogroup:x:65534:\n`,
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
  await mkdir(folder, { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o644 });
  return Object.keys(files);
}
