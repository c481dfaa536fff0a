import { bwrap } from "./bwrap.ts";
import { docker, podman } from "./container.ts";
import type { SandboxKind } from "./kind.ts";
import { none } from "./none.ts";
import { runsc } from "./runsc.ts";

/** In the order in which `auto` tries them. */
export const sandboxKinds = { bwrap, runsc, podman, docker, none } as const satisfies Record<string, SandboxKind>;
export type SandboxName = keyof typeof sandboxKinds;
