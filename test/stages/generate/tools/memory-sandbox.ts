import type { ExecLimits, Execution, Sandbox } from "../../../../stages/lib/sandbox.ts";

export interface MemorySandbox extends Sandbox {
  readonly files: Map<string, Uint8Array>;
  readonly folders: Set<string>;
  /** Every command, with its limits. */
  readonly ran: { readonly command: string; readonly limits: ExecLimits }[];
  textOf(path: string): string | undefined;
}

export const execution = (set: Partial<Execution> = {}): Execution => ({
  output: "",
  exitCode: 0,
  timedOut: false,
  shellLost: false,
  droppedBytes: 0,
  lossy: false,
  ...set,
});

/** A sandbox without processes: files in a map, and commands answered by `answer`. A path below a file cannot be written. */
export function memorySandbox(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  answer: (command: string) => Partial<Execution> = () => ({}),
): MemorySandbox {
  const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === "string" ? new TextEncoder().encode(content) : content);
  const sandbox: MemorySandbox = {
    files: new Map(Object.entries(files).map(([path, content]) => [path, bytesOf(content)])),
    folders: new Set(["/"]),
    ran: [],
    textOf: (path) => {
      const bytes = sandbox.files.get(path);
      return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
    },
    exec: async (command, limits) => {
      sandbox.ran.push({ command, limits });
      return execution(answer(command));
    },
    put: async (path, content) => {
      if ([...sandbox.files.keys()].some((file) => path.startsWith(`${file}/`))) return { ok: false, why: "it cannot be made" };
      sandbox.files.set(path, bytesOf(content));
      return { ok: true };
    },
    get: async (path, maxBytes) => {
      const bytes = sandbox.files.get(path);
      if (bytes === undefined) return { ok: false, why: sandbox.folders.has(path) ? "folder" : "missing" };
      return bytes.length > maxBytes ? { ok: false, why: "too-large" } : { ok: true, bytes };
    },
    snapshot: async () => ({ ok: true, bytes: new Uint8Array() }),
    destroy: async () => {},
  };
  return sandbox;
}
