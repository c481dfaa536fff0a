/** What a command left behind. */
export interface Execution {
  /**
   * stdout and stderr in the order they came, as text; at most the bytes asked for: the first half of them from the beginning, the
   * other from the end, see `droppedBytes`. When everything was stopped because of a limit that we have to watch ourselves (disk;
   * memory where the kernel does not bound it), a last line in brackets says so.
   */
  readonly output: string;
  /** null: no code, because it was stopped (time, disk) or the shell went away with it. */
  readonly exitCode: number | null;
  /** It ran past its limit and was interrupted. */
  readonly timedOut: boolean;
  /** The shell ended (`exit`, `exec`, killed, limit of memory or disk) or had to be restarted: folder and variables are those of a new one from now on. */
  readonly shellLost: boolean;
  /** Bytes of output left out in the middle. */
  readonly droppedBytes: number;
  /** Some bytes were no UTF-8; they stand as U+FFFD. */
  readonly lossy: boolean;
}

export interface ExecLimits {
  readonly timeoutMs: number;
  /** Most bytes of output kept; the rest is read and thrown away, so that a flood harms nobody. */
  readonly outputBytes: number;
}

/**
 * A place where others' code may run. Everything that touches its files happens inside, through its own processes: a link that
 * an agent planted leads nowhere but into the sandbox. Methods are called one at a time. They throw a `Fault` (`SANDBOX_BROKEN`)
 * when the sandbox itself broke, never because of what a command did.
 */
export interface Sandbox {
  /**
   * Runs in the one persistent bash of this sandbox: folder and variables survive from command to command. stdin is empty. The bash
   * is interactive and has no terminal: `&` prints `[1] 123`, `kill $$` does nothing. What the background prints between two
   * commands is lost.
   */
  exec(command: string, limits: ExecLimits): Promise<Execution>;
  /** Writes a regular file, making its folders; follows no link out of the sandbox. Absolute path. `why` when it cannot be written. */
  put(path: string, content: string | Uint8Array): Promise<{ readonly ok: true } | { readonly ok: false; readonly why: string }>;
  /** Content of a regular file of at most `maxBytes`. `why`: missing, a folder, no regular file, too large. */
  get(
    path: string,
    maxBytes: number,
  ): Promise<
    | { readonly ok: true; readonly bytes: Uint8Array }
    | { readonly ok: false; readonly why: "missing" | "folder" | "special" | "too-large" | "denied" }
  >;
  /** A tar of `path` made inside, to open another sandbox from. `why`: more than `maxBytes`, or not to be read. */
  snapshot(
    path: string,
    maxBytes: number,
  ): Promise<{ readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly why: string }>;
  /** Ends every process and removes what was written. Idempotent. */
  destroy(): Promise<void>;
}

/** What a sandbox starts from. */
export interface SandboxSpec {
  /** Image for container kinds; null: the host's own programs, read-only. */
  readonly image: string | null;
  /** Absolute path inside at which `tree` appears and where the shell starts. */
  readonly workdir: string;
  /** Host folder whose files are copied (links as links, no devices, no `.git`), or a tar from `snapshot`; null: the image has it. */
  readonly tree: { readonly folder: string } | { readonly tar: Uint8Array } | null;
  readonly limits: SandboxLimits;
}

/** Bounds of one sandbox; each holds for all its processes together unless it says otherwise. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of one file. */
  readonly fileBytes: number;
  /** Of everything written. Looked at after each command and now and then during it; over it, everything is stopped and files stay. */
  readonly diskBytes: number;
  /** Processor time of one process, seconds. */
  readonly cpuSeconds: number;
}
