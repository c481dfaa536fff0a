import { Fault } from "../../schemas/fault.ts";
import { type SandboxName, sandboxKinds } from "./index.ts";
import type { SandboxKind } from "./kind.ts";

export interface Wish {
  /** `auto`: the first that works and confines. */
  readonly kind: SandboxName | "auto";
  /** Whether tasks bring images to start from. */
  readonly image: boolean;
  readonly warn: (text: string) => void;
}

type Kinds = Readonly<Record<string, SandboxKind>>;

const advice = {
  host: "on Linux install bubblewrap, or ask for `none` by name to run others' code without any protection",
  image: "start Docker or Podman, and let this user reach it",
};

/** The kind to use. Throws SANDBOX_MISSING with what was tried and why each failed. `none` is never chosen, only asked for. */
export async function chooseSandbox({ kind: wanted, image, warn }: Wish, kinds: Kinds = sandboxKinds): Promise<SandboxKind> {
  const from = image ? "image" : "host";
  const tried: string[] = [];
  for (const kind of Object.values(kinds)) {
    if (wanted === "auto" ? !kind.confines || kind.startsFrom !== from : kind.name !== wanted) continue;
    if (kind.startsFrom !== from) {
      tried.push(
        `${kind.name}: starts from ${kind.startsFrom === "image" ? "images, and the tasks name none" : "the host's programs, and the tasks name images"}`,
      );
      continue;
    }
    const probed = await kind.probe();
    if (!probed.ok) {
      tried.push(`${kind.name}: ${probed.why}`);
      continue;
    }
    if (!kind.confines)
      warn(
        `sandbox ${kind.name} protects nothing: commands of agents run as you, with your files and your network. Use it for code that you trust.`,
      );
    return kind;
  }
  throw new Fault(
    "SANDBOX_MISSING",
    "stop",
    `no sandbox to run commands of agents in. Tried ${tried.join("; ")}. What helps: ${advice[from]}`,
  );
}
