import { ReferenceError } from "./errors.js";
import { isObject } from "./merge.js";

const REFERENCE = /\$?\$\{([^}]*)\}/g;

/** Values of references that were resolved before. */
const resolved = new Map();

/** Replaces every `${...}` in the strings of a tree. Returns a new tree. */
export function interpolate(tree, env = {}) {
  return walk(tree, { root: tree, env, chain: [] });
}

function walk(value, scope) {
  if (typeof value === "string") return expand(value, scope);
  if (Array.isArray(value)) return value.map((item) => walk(item, scope));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, scope)]));
}

function expand(text, scope) {
  const whole = /^\$\{([^}]*)\}$/.exec(text);
  if (whole !== null) return resolve(whole[1].trim(), scope);
  return text.replace(REFERENCE, (match, name) => {
    if (match.startsWith("$$")) return match.slice(1);
    const value = resolve(name.trim(), scope);
    return Array.isArray(value) ? value.join(", ") : String(value);
  });
}

function resolve(name, scope) {
  if (resolved.has(name)) return resolved.get(name);
  const chain = [...scope.chain, name];
  if (scope.chain.includes(name)) throw new ReferenceError("a circle of references", chain);
  const value = walk(lookUp(name, scope, chain), { ...scope, chain });
  resolved.set(name, value);
  return value;
}

function lookUp(name, { root, env }, chain) {
  if (name.startsWith("env:")) {
    const value = env[name.slice("env:".length)];
    if (value === undefined) throw new ReferenceError("no such variable", chain);
    return value;
  }
  let at = root;
  for (const key of name.split(".")) {
    if (!isObject(at) || !Object.hasOwn(at, key)) throw new ReferenceError("no such key", chain);
    at = at[key];
  }
  return at;
}
