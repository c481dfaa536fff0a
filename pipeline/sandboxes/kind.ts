import type { Sandbox, SandboxSpec } from "../../stages/lib/sandbox.ts";

/** One way of giving others' code a place to run. Another kind is one file and one line in `index.ts`; the contract suite does the rest. */
export interface SandboxKind {
  readonly name: string;
  /** Whether what runs inside is kept from the host's files, network, processes and environment. */
  readonly confines: boolean;
  /** What it starts from: the host's own programs (`spec.image` null), or an image. */
  readonly startsFrom: "host" | "image";
  /** Tries it out on this machine. `why` is one line: what failed and, where known, what would help. */
  probe(): Promise<{ readonly ok: true; readonly detail: string } | { readonly ok: false; readonly why: string }>;
  /** Throws a `Fault` (`SANDBOX_BROKEN`) when it cannot be opened; then nothing is left behind. */
  open(spec: SandboxSpec): Promise<Sandbox>;
}
