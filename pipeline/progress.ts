/** Where a long command says how far it is: one rewritten line on a terminal, a plain line every few seconds elsewhere. Always stderr. */
export interface Progress {
  /** A finished piece of news, on a line of its own. */
  say(line: string): void;
  start(what: string, total: number): void;
  step(note?: string): void;
  end(summary?: string): void;
}

export const silentProgress: Progress = { say: () => undefined, start: () => undefined, step: () => undefined, end: () => undefined };

const terminalEveryMs = 100; // 10 Hz: smooth to the eye, nothing to the CPU
const plainEveryMs = 5_000;

const clock = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

function describe(what: string, done: number, total: number, startedMs: number, note: string): string {
  const elapsed = Date.now() - startedMs;
  const rate = elapsed > 0 ? (done / elapsed) * 1000 : 0;
  const left = rate > 0 && done < total ? `, ${clock(((total - done) / rate) * 1000)} left` : "";
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : "";
  return `${what}: ${done}${total > 0 ? `/${total}` : ""}${share}, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}${note === "" ? "" : `, ${note}`}`;
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  const terminal = stream.isTTY === true;
  let task: { what: string; total: number; done: number; startedMs: number; note: string } | null = null;
  let lastMs = 0;
  const clear = (): void => {
    if (terminal) stream.write("\r\u001b[2K");
  };
  const draw = (): void => {
    if (task === null) return;
    const line = describe(task.what, task.done, task.total, task.startedMs, task.note);
    stream.write(terminal ? `\r\u001b[2K${line.slice(0, (stream.columns ?? 100) - 1)}` : `${line}\n`);
    lastMs = Date.now();
  };
  return {
    say: (line) => {
      clear();
      stream.write(`${line}\n`);
    },
    start: (what, total) => {
      task = { what, total, done: 0, startedMs: Date.now(), note: "" };
      lastMs = Date.now();
    },
    step: (note = "") => {
      if (task === null) return;
      task.done += 1;
      task.note = note;
      if (Date.now() - lastMs >= (terminal ? terminalEveryMs : plainEveryMs)) draw();
    },
    end: (summary) => {
      clear();
      task = null;
      if (summary !== undefined) stream.write(`${summary}\n`);
    },
  };
}
