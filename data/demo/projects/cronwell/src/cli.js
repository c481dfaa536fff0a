import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseCrontab } from "./crontab.js";
import { describe } from "./describe.js";
import { CronSyntaxError, NoRunError, ZoneError } from "./errors.js";
import { parseExpression } from "./parse.js";
import { nextRuns, prevRuns } from "./search.js";

const USAGE = `usage: cronwell next <expression> [--from <time>] [--count <n>] [--zone <name>]
       cronwell prev <expression> [--from <time>] [--count <n>] [--zone <name>]
       cronwell describe <expression>
       cronwell check <file>`;

const OPTIONS = {
  from: { type: "string" },
  count: { type: "string", default: "1" },
  zone: { type: "string", default: "UTC" },
  help: { type: "boolean", short: "h", default: false },
};

/** Returns the exit code. `io` has `out` and `err`, both functions that take a line. */
export function main(argv, io = { out: console.log, err: console.error }) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    io.err(error.message);
    io.err(USAGE);
    return 2;
  }
  const [command, argument, ...rest] = parsed.positionals;
  if (parsed.values.help) {
    io.out(USAGE);
    return 0;
  }
  if (argument === undefined || rest.length > 0) {
    io.err(USAGE);
    return 2;
  }

  try {
    if (command === "next" || command === "prev") return listRuns(command, argument, parsed.values, io);
    if (command === "describe") {
      io.out(describe(parseExpression(argument)));
      return 0;
    }
    if (command === "check") return check(argument, io);
  } catch (error) {
    if (error instanceof CronSyntaxError || error instanceof NoRunError || error instanceof ZoneError) {
      io.err(`cronwell: ${error.message}`);
      return 1;
    }
    throw error;
  }
  io.err(USAGE);
  return 2;
}

function listRuns(command, expression, values, io) {
  const from = values.from === undefined ? new Date() : new Date(values.from);
  const count = Number(values.count);
  if (Number.isNaN(from.getTime()) || !Number.isInteger(count) || count < 1) {
    io.err(USAGE);
    return 2;
  }
  const find = command === "next" ? nextRuns : prevRuns;
  for (const run of find(parseExpression(expression), from, count, { zone: values.zone })) io.out(run.toISOString());
  return 0;
}

function check(path, io) {
  const { jobs, problems } = parseCrontab(readFileSync(path, "utf8"));
  for (const job of jobs) io.out(`${path}:${job.line}: ${describe(job.schedule)} (${job.zone}): ${job.command}`);
  for (const problem of problems) io.err(`${path}:${problem.line}: ${problem.message}`);
  return problems.length === 0 ? 0 : 1;
}
