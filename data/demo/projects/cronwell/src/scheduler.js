import { nextRun } from "./search.js";

/** `setTimeout` cannot wait longer than this. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Runs jobs. The clock and the timers are arguments, so that tests need not wait.
 * `now()` gives a Date; `setTimer(fn, ms)` gives a handle; `clearTimer(handle)` takes it.
 */
export class Scheduler {
  #jobs = new Map();
  #now;
  #setTimer;
  #clearTimer;
  #onError;

  constructor({
    now = () => new Date(),
    setTimer = (fn, ms) => setTimeout(fn, ms),
    clearTimer = (handle) => clearTimeout(handle),
    onError = (error) => {
      throw error;
    },
  } = {}) {
    this.#now = now;
    this.#setTimer = setTimer;
    this.#clearTimer = clearTimer;
    this.#onError = onError;
  }

  /** Adds a job and starts to wait for it. Names are unique. */
  add(name, schedule, run, { zone = "UTC" } = {}) {
    if (this.#jobs.has(name)) throw new Error(`a job named "${name}" exists`);
    const job = { name, schedule, run, zone, runs: 0, due: null, handle: null };
    this.#jobs.set(name, job);
    this.#plan(job, this.#now());
    return job.due;
  }

  remove(name) {
    const job = this.#jobs.get(name);
    if (job === undefined) return false;
    this.#clearTimer(job.handle);
    return this.#jobs.delete(name);
  }

  /** `[{ name, due, runs }]`, the next one first. */
  list() {
    return [...this.#jobs.values()]
      .map(({ name, due, runs }) => ({ name, due, runs }))
      .sort((a, b) => a.due - b.due || a.name.localeCompare(b.name));
  }

  stop() {
    for (const name of [...this.#jobs.keys()]) this.remove(name);
  }

  #plan(job, after) {
    job.due = nextRun(job.schedule, after, { zone: job.zone });
    this.#wait(job);
  }

  #wait(job) {
    const ms = Math.max(0, job.due.getTime() - this.#now().getTime());
    job.handle = this.#setTimer(() => this.#wake(job), Math.min(ms, LONGEST_WAIT_MS));
  }

  #wake(job) {
    if (this.#now() < job.due) {
      this.#wait(job);
      return;
    }
    const due = job.due;
    job.runs += 1;
    try {
      job.run({ name: job.name, due });
    } catch (error) {
      this.#onError(error, job.name);
    }
    if (this.#jobs.has(job.name)) this.#plan(job, due);
  }
}
