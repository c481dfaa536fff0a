/** Where a long command says how far it is: one rewritten line on a terminal, a plain line every few seconds elsewhere. Always stderr. */
export interface Progress {
  /** A finished piece of news, on a line of its own. */
  say(line: string): void;
  /** `unit`: what is counted, where it is not single things. */
  start(what: string, total: number, unit?: "bytes"): void;
  step(note?: string, amount?: number): void;
  end(summary?: string): void;
}

export const silentProgress: Progress = { say: () => undefined, start: () => undefined, step: () => undefined, end: () => undefined };

const terminalEveryMs = 100; // 10 Hz: smooth to the eye, nothing to the CPU
const plainEveryMs = 5_000;

const clock = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

interface Task {
  readonly what: string;
  readonly total: number;
  readonly unit: "bytes" | null;
  readonly startedMs: number;
  done: number;
  note: string;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

function describe({ what, done, total, unit, startedMs, note }: Task): string {
  const elapsed = Date.now() - startedMs;
  const rate = elapsed > 0 ? (done / elapsed) * 1000 : 0;
  const left = rate > 0 && done < total ? `, ${clock(((total - done) / rate) * 1000)} left` : "";
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : "";
  const noted = note === "" ? "" : `, ${note}`;
  if (unit === "bytes") return `${what}: ${megabytes(done)}/${megabytes(total)} MB${share}, ${megabytes(rate)} MB/s${left}${noted}`;
  return `${what}: ${done}${total > 0 ? `/${total}` : ""}${share}, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}${noted}`;
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  const terminal = stream.isTTY === true;
  let task: Task | null = null;
  let lastMs = 0;
  const clear = (): void => {
    if (terminal) stream.write("\r\u001b[2K");
  };
  const draw = (): void => {
    if (task === null) return;
    const line = describe(task);
    stream.write(terminal ? `\r\u001b[2K${line.slice(0, (stream.columns ?? 100) - 1)}` : `${line}\n`);
    lastMs = Date.now();
  };
  return {
    say: (line) => {
      clear();
      stream.write(`${line}\n`);
    },
    start: (what, total, unit) => {
      task = { what, total, unit: unit ?? null, done: 0, startedMs: Date.now(), note: "" };
      lastMs = Date.now();
    },
    step: (note = "", amount = 1) => {
      if (task === null) return;
      task.done += amount;
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
