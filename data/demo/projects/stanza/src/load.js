import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "./document.js";
import { LoadError } from "./errors.js";
import { interpolate } from "./interpolate.js";
import { Appended, merge } from "./merge.js";
import { parseValue } from "./values.js";

/** Trees of files that were read before, by absolute path. */
const trees = new Map();

/** Lays defaults, files and the environment over each other. See docs/layers.md. */
export function load(files, { defaults = {}, env = {}, prefix = null } = {}) {
  const layers = files.flatMap((file) => readLayers(resolve(file), []));
  if (prefix !== null) layers.push(environmentLayer(env, prefix));

  const tree = { ...defaults };
  for (const layer of layers) merge(tree, layer);
  return interpolate(tree, env);
}

/** The trees of a file: those of the files it includes, then its own. */
function readLayers(path, including) {
  if (including.includes(path)) throw new LoadError(`${[...including, path].join(" includes ")}`);
  const tree = readTree(path);
  const { include = [], ...own } = tree;
  const layers = [include].flat().flatMap((name) => readLayers(resolve(dirname(path), name), [...including, path]));
  return [...layers, own];
}

function readTree(path) {
  let tree = trees.get(path);
  if (tree === undefined) {
    tree = toTree(parse(readText(path)));
    trees.set(path, tree);
  }
  return tree;
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new LoadError(`cannot read ${path}: ${error.code}`, { cause: error });
  }
}

/** Entries to a tree in which `key[]` is kept apart, because it adds to lower layers. */
function toTree(document) {
  const tree = {};
  for (const { path, value, append } of document.entries()) place(tree, path.split("."), value, append);
  return tree;
}

function place(tree, keys, value, append) {
  const [key, ...rest] = keys;
  if (rest.length > 0) {
    if (tree[key] === undefined || typeof tree[key] !== "object") tree[key] = {};
    place(tree[key], rest, value, append);
  } else if (!append) {
    tree[key] = value;
  } else if (tree[key] instanceof Appended) {
    tree[key].items.push(value);
  } else if (Array.isArray(tree[key])) {
    tree[key].push(value);
  } else {
    tree[key] = new Appended([value]);
  }
}

/** `APP_SERVER__PORT=80` is `{ server: { port: 80 } }`. */
function environmentLayer(env, prefix) {
  const tree = {};
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix)) continue;
    const keys = name.slice(prefix.length).toLowerCase().split("__");
    place(tree, keys, parseValue(text), false);
  }
  return tree;
}
