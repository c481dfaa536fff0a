import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { shellQuoted } from "../../stages/lib/shell-quote.ts";
import type { Inmate } from "./cell.ts";
import { KeptOutput } from "./kept-output.ts";

/**
 * The one way in which we speak with a bash over pipes, whatever sandbox it runs in.
 *
 * A command travels as one quoted word to `eval`, so that an open quote, an open heredoc or a syntax error ends with it. After it
 * a mark is printed that is random per command. Output goes through a descriptor of its own (`channel`), put in place anew for each
 * command, so that `exec >file` and traps that print cannot lead the mark astray. Only the mark ends a command: processes in the
 * background may hold the pipe open. What they print between two commands is read and dropped.
 *
 * An agent may redefine the very words that we use (`eval() { :; }`, `alias eval=:`, a DEBUG trap that skips them). Hence the quoted
 * `\\eval`, which no alias replaces, and `builtin`, which no function `printf` hides; and a command leaves a trace as it begins, which the
 * mark repeats. A mark without it means that the command was swallowed: the shell is ended and the agent told. Where the mark itself is
 * swallowed (`builtin() { :; }`, `exec 187>&-`), the time-out ends the shell in the same way.
 *
 * The agent's shell is interactive (without terminal, prompt, history): only then does an interrupt end a whole command list, also
 * a loop of builtins, and leave folder and variables as they are. Hence also `[1] 123` after `&`, and `kill $$`, which an
 * interactive bash ignores. What it says about the missing terminal must come before the first mark, hence `2>&1`: an engine carries
 * stdout and stderr by separate ways.
 */
export const agentBash = ["sh", "-c", "exec bash --noprofile --norc --noediting -i 2>&1"] as const;
/** Reads its input byte by byte, so that what follows a command's line can be that command's stdin. */
export const helperBash = ["bash", "--noprofile", "--norc"] as const;

const channel = 187; // far from what scripts use by hand and what bash picks for itself (10 and up)
const markByte = "\x1e";

export interface Ran {
  readonly output: KeptOutput;
  /** null: interrupted, or the shell ended with it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The shell is gone, or had to be killed. */
  readonly lost: boolean;
}

export interface ShellCommand {
  readonly script: string;
  /** stdin; null: empty. Only the helper's shell can take one. All of it must be read by the script. */
  readonly input: Uint8Array | null;
  readonly timeoutMs: number;
  readonly keepBytes: number;
}

export interface Shell {
  run(command: ShellCommand): Promise<Ran>;
  isAlive(): boolean;
  kill(): Promise<void>;
}

/** How long an interrupted command may take to end before stronger means are used, ms. */
const graceMs = 1_000;
/** A loop may have started its next program just when the last one was interrupted. */
const againMs = 100;
/** How long output may still arrive after the shell's end; processes it left may hold the pipe for ever. */
const lastWordsMs = 200;

interface MarkReader {
  push(chunk: Buffer): void;
  /** No mark will come: what was held back as its possible beginning is output. */
  flush(): void;
}

/** Feeds `keep` with all but marks; of each mark calls `ended` with what stands between it and the next `;`. */
function markReader(mark: Buffer, keep: (bytes: Buffer) => void, ended: (code: string) => void): MarkReader {
  let held: Buffer = Buffer.alloc(0);
  const push = (chunk: Buffer): void => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let at = held.indexOf(mark); at >= 0; at = held.indexOf(mark)) {
      keep(held.subarray(0, at));
      held = held.subarray(at);
      const end = held.indexOf(";", mark.length);
      if (end < 0) return;
      const code = held.toString("latin1", mark.length, end);
      held = held.subarray(end + 1);
      ended(code);
    }
    const safe = Math.max(0, held.length - mark.length + 1); // the rest may be the beginning of a mark
    keep(held.subarray(0, safe));
    held = held.subarray(safe);
  };
  const flush = (): void => {
    keep(held);
    held = Buffer.alloc(0);
  };
  return { push, flush };
}

/** What came and was not taken yet. `next`: null when nothing comes for `waitMs`. */
function inbox(): { put(text: string): void; next(waitMs: number): Promise<string | null> } {
  const came: string[] = [];
  let wake: () => void = () => undefined;
  return {
    put: (text) => {
      came.push(text);
      wake();
    },
    next: (waitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => wake(), came.length > 0 ? 0 : waitMs);
        wake = () => {
          clearTimeout(timer);
          wake = () => undefined;
          resolve(came.shift() ?? null);
        };
        if (came.length > 0) wake();
      }),
  };
}

/** Takes a bash that was just started. `shell` is null when it ended or did not answer in `startMs`; `said` is what it wrote instead. */
export async function openShell(inmate: Inmate, startMs: number): Promise<{ readonly shell: Shell | null; readonly said: string }> {
  let alive = true;
  let group = 0;
  let commands = 0;
  let ear: MarkReader | null = null; // between two commands nobody listens
  let news = inbox();
  inmate.output.on("data", (chunk: Buffer) => ear?.push(chunk));
  const outputEnded = new Promise<void>((resolve) => inmate.output.once("close", () => resolve()));
  const ended = inmate.ended.then(async () => {
    alive = false;
    await Promise.race([outputEnded, sleep(lastWordsMs, undefined, { ref: false })]);
    ear?.flush();
    news.put("gone");
  });

  async function kill(): Promise<void> {
    alive = false;
    await inmate.kill();
    await ended;
    inmate.output.destroy();
  }

  /**
   * Whether it is ready for the next command. The interrupted line may print its own code before the sign of life that is waited for.
   * What follows a program that heeds no interrupt in a list may still run, for as long as the grace lasts.
   */
  async function interrupted(how: "ask" | "force"): Promise<"ready" | "gone" | "late"> {
    for (const until = Date.now() + graceMs; Date.now() < until; ) {
      await inmate.interrupt(how, group);
      for (let sign = await news.next(againMs); sign !== null; sign = await news.next(againMs)) {
        if (sign === "sync") return "ready";
        if (sign === "gone") return "gone";
      }
    }
    return "late";
  }

  /** `trace`: what the mark must repeat behind the exit code. */
  async function answer(timeoutMs: number, trace: string, askForSign: () => void): Promise<Omit<Ran, "output">> {
    const said = await news.next(timeoutMs);
    if (said === "gone") return { exitCode: null, timedOut: false, lost: true };
    if (said !== null) {
      const [code, traced] = said.split(" ");
      const swallowed = traced !== trace;
      if (swallowed) await kill();
      return { exitCode: swallowed ? null : Number(code), timedOut: false, lost: swallowed };
    }
    askForSign(); // read as soon as the interrupt was obeyed
    let state = await interrupted("ask");
    if (state === "late") state = await interrupted("force");
    if (state === "late") await kill();
    return { exitCode: null, timedOut: true, lost: state !== "ready" };
  }

  async function exchange(
    text: (mark: string, trace: string) => string,
    input: Uint8Array | null,
    timeoutMs: number,
    keepBytes: number,
  ): Promise<Ran> {
    const output = new KeptOutput(keepBytes);
    if (!alive) return { output, exitCode: null, timedOut: false, lost: true };
    const mark = `${markByte}${randomBytes(12).toString("hex")}:`;
    commands += 1;
    const trace = `${commands}`; // no secret, and the same in every run: an agent may list its variables
    news = inbox();
    ear = markReader(
      Buffer.from(mark),
      (bytes) => output.push(bytes),
      (code) => news.put(code),
    );
    inmate.input.write(text(mark, trace));
    if (input !== null) inmate.input.write(input);
    const answered = await answer(timeoutMs, trace, () =>
      inmate.input.write(`\\builtin printf '%ssync;' ${shellQuoted(mark)} >&${channel}\n`),
    );
    ear = null;
    return { output, ...answered };
  }

  const begin = (mark: string, trace: string): string =>
    `exec ${channel}>&1 >/dev/null 2>&1; PS1= PS2=; set +H +o history; unset MAILCHECK; IFS=' ' read -r _ _ _ _ catgen_group _ </proc/$$/stat; ` +
    `printf '%s%d %s;' ${shellQuoted(mark)} "$catgen_group" ${trace} >&${channel}; unset catgen_group\n`;
  const begun = await exchange(begin, null, startMs, 4_096);
  if (begun.exitCode === null) {
    await kill();
    return { shell: null, said: begun.output.text().text.trim() };
  }
  group = begun.exitCode;

  const run = ({ script, input, timeoutMs, keepBytes }: ShellCommand): Promise<Ran> => {
    const stdin = input === null ? "</dev/null" : "";
    // Apart from the script, whose line numbers and syntax errors stay its own.
    const line = (mark: string, trace: string): string =>
      `\\eval catgen_trace=${trace}; \\eval ${shellQuoted(script)} ${stdin} >&${channel} 2>&${channel}; ` +
      `\\builtin printf '%s%d %s;' ${shellQuoted(mark)} "$?" "\${catgen_trace-}" >&${channel}; \\unset -v catgen_trace\n`;
    return exchange(line, input, timeoutMs, keepBytes);
  };
  return { shell: { run, kill, isAlive: () => alive }, said: "" };
}
