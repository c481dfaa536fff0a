import { expect, test } from "vitest";
import { chooseSandbox, type Wish } from "../../../pipeline/sandboxes/choose.ts";
import { sandboxKinds } from "../../../pipeline/sandboxes/index.ts";
import type { SandboxKind } from "../../../pipeline/sandboxes/kind.ts";

const works = async () => ({ ok: true, detail: "" }) as const;
const fails = (why: string) => async () => ({ ok: false, why }) as const;
const kindsWith = (probes: Partial<Record<keyof typeof sandboxKinds, SandboxKind["probe"]>>): Record<string, SandboxKind> =>
  Object.fromEntries(
    Object.entries(sandboxKinds).map(([name, kind]) => [
      name,
      { ...kind, probe: probes[name as keyof typeof sandboxKinds] ?? fails("not here") },
    ]),
  );
const wish = (kind: Wish["kind"], image = false) => {
  const warnings: string[] = [];
  return { warnings, wish: { kind, image, warn: (text: string) => warnings.push(text) } };
};
const nameOf = async (kind: Wish["kind"], probes: Parameters<typeof kindsWith>[0], image = false): Promise<string> =>
  (await chooseSandbox(wish(kind, image).wish, kindsWith(probes))).name;

test("every kind carries the name it is registered under", () => {
  for (const [name, kind] of Object.entries(sandboxKinds)) expect(kind.name).toBe(name);
});

test("auto takes the first that works and fits: the host's programs, or images", async () => {
  expect(await nameOf("auto", { bwrap: works, runsc: works, podman: works })).toBe("bwrap");
  expect(await nameOf("auto", { runsc: works, podman: works })).toBe("runsc");
  expect(await nameOf("auto", { bwrap: works, docker: works }, true)).toBe("docker");
});

test("auto never takes none, and says of each kind why not and what helps", async () => {
  const attempt = chooseSandbox(wish("auto").wish, kindsWith({ none: works, bwrap: fails("no user namespaces") }));
  await expect(attempt).rejects.toMatchObject({ code: "SANDBOX_MISSING", remedy: "stop" });
  await expect(attempt).rejects.toThrow(/bwrap: no user namespaces; runsc: not here.*install bubblewrap.*`none` by name/);
});

test("who asks for one kind gets that or a fault, never another", async () => {
  await expect(nameOf("runsc", { bwrap: works })).rejects.toThrow("runsc: not here");
  await expect(nameOf("docker", { docker: works })).rejects.toThrow("starts from images, and the tasks name none");
  await expect(nameOf("bwrap", { bwrap: works }, true)).rejects.toThrow("the tasks name images");
});

test("who asks for none gets a warning, who gets protection does not", async () => {
  const asked = wish("none");
  expect((await chooseSandbox(asked.wish, kindsWith({ none: works }))).name).toBe("none");
  expect(asked.warnings).toEqual([expect.stringContaining("protects nothing")]);
  const safe = wish("bwrap");
  await chooseSandbox(safe.wish, kindsWith({ bwrap: works }));
  expect(safe.warnings).toEqual([]);
});
