import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "./document.js";
import { LoadError, ParseError, ReferenceError } from "./errors.js";
import { load } from "./load.js";
import { checkSchema } from "./schema.js";
import { formatValue, parseValue } from "./values.js";

const USAGE = `usage: stanza get <file> <key> [--default <value>]
       stanza set <file> <key> <value>
       stanza unset <file> <key>
       stanza list <file>...
       stanza check <file> --schema <file.json>`;

const OPTIONS = {
  default: { type: "string" },
  schema: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
};

/** Commands by name: how many arguments they take, and what they do. Each returns the exit code. */
const COMMANDS = {
  get: { arguments: [2, 2], run: get },
  set: { arguments: [3, 3], run: set },
  unset: { arguments: [2, 2], run: unset },
  list: { arguments: [1, Number.POSITIVE_INFINITY], run: list },
  check: { arguments: [1, 1], run: check },
};

export function main(argv, io = { out: console.log, err: console.error }) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    io.err(error.message);
    io.err(USAGE);
    return 2;
  }
  if (parsed.values.help) {
    io.out(USAGE);
    return 0;
  }
  const [name, ...rest] = parsed.positionals;
  const command = Object.hasOwn(COMMANDS, name ?? "") ? COMMANDS[name] : undefined;
  if (command === undefined || rest.length < command.arguments[0] || rest.length > command.arguments[1]) {
    io.err(USAGE);
    return 2;
  }
  try {
    return command.run(rest, parsed.values, io);
  } catch (error) {
    if (error instanceof ParseError || error instanceof LoadError || error instanceof ReferenceError) {
      io.err(`stanza: ${error.message}`);
      return 1;
    }
    throw error;
  }
}

function open(file) {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") throw new LoadError(`cannot read ${file}: ENOENT`, { cause: error });
    throw error;
  }
}

function get([file, key], values, io) {
  const value = open(file).get(key) || values.default;
  io.out(show(value));
  return 0;
}

function set([file, key, text], _values, _io) {
  const document = open(file);
  document.set(key, parseValue(text));
  writeFileSync(file, document.toString());
  return 0;
}

function unset([file, key], _values, io) {
  const document = open(file);
  if (!document.unset(key)) {
    io.err(`stanza: no key "${key}" in ${file}`);
    return 1;
  }
  writeFileSync(file, document.toString());
  return 0;
}

function list(files, _values, io) {
  for (const [path, value] of flatten(load(files, { env: process.env }))) io.out(`${path} = ${formatValue(value)}`);
  return 0;
}

function check([file], values, io) {
  if (values.schema === undefined) {
    io.err(USAGE);
    return 2;
  }
  const problems = checkSchema(load([file], { env: process.env }), JSON.parse(readFileSync(values.schema, "utf8")));
  for (const problem of problems) io.err(`${file}: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function flatten(tree, prefix = "") {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    return value !== null && typeof value === "object" && !Array.isArray(value) ? flatten(value, path) : [[path, value]];
  });
}

function show(value) {
  return Array.isArray(value) ? value.join("\n") : String(value);
}
