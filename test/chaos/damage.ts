import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { stepTable } from "../../pipeline/plan.ts";
import { type Chance, rowsFile, type Site } from "./lib.ts";

/** Steps that write rows. */
export const rowSteps = stepTable.filter(({ writes }) => writes !== null).map(({ step }) => step);

export interface Harm {
  /** What `verify` has to name: a file, or the shard it belonged to. */
  readonly file: string;
}

async function swap(one: string, other: string): Promise<void> {
  await rename(one, `${one}.aside`);
  await rename(other, one);
  await rename(`${one}.aside`, other);
}

async function change(path: string, edit: (bytes: Buffer) => Buffer): Promise<Harm> {
  await writeFile(path, edit(await readFile(path)));
  return { file: basename(path) };
}

/** One bit of one byte. */
export const flip = (path: string, chance: Chance): Promise<Harm> =>
  change(path, (bytes) => {
    const at = chance.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
    return bytes;
  });

const truncate = (path: string, chance: Chance): Promise<Harm> =>
  change(path, (bytes) => bytes.subarray(0, 1 + chance.below(bytes.length - 1)));

const empty = (path: string): Promise<Harm> => change(path, () => Buffer.alloc(0));

const zero = (path: string, chance: Chance): Promise<Harm> =>
  change(path, (bytes) => {
    const at = chance.below(bytes.length);
    return bytes.fill(0, at, at + 1 + chance.below(64));
  });

const cutOut = (path: string, chance: Chance): Promise<Harm> =>
  change(path, (bytes) => {
    const at = chance.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + chance.below(64))]);
  });

async function remove(path: string): Promise<Harm> {
  await rm(path);
  return { file: basename(path) };
}

const manifests = async (site: Site, step: string): Promise<string[]> => {
  const folder = join(site.root, "stages", step, "manifests");
  return (await readdir(folder)).sort().map((name) => join(folder, name));
};

async function aManifest(site: Site, step: string, chance: Chance): Promise<string> {
  const all = await manifests(site, step);
  const found = all[chance.below(all.length)];
  if (found === undefined) throw new Error(`no manifest of ${step}`);
  return found;
}

type Harming = (site: Site, step: string, chance: Chance) => Promise<Harm>;

/** Damage to one rows file, by what is done to it. */
export const rowHarms: Readonly<Record<string, Harming>> = {
  "a flipped bit": async (site, step, chance) => flip(await rowsFile(site, step), chance),
  "a truncated file": async (site, step, chance) => truncate(await rowsFile(site, step), chance),
  "a range of zeros": async (site, step, chance) => zero(await rowsFile(site, step), chance),
  "a range cut out": async (site, step, chance) => cutOut(await rowsFile(site, step), chance),
  "an emptied file": async (site, step) => empty(await rowsFile(site, step)),
  "a deleted file": async (site, step) => remove(await rowsFile(site, step)),
  "two shards' files swapped": async (site, step) => {
    const one = await rowsFile(site, step);
    await swap(one, await rowsFile(site, step, 1));
    return { file: basename(one) };
  },
};

/** Damage to one manifest. */
export const manifestHarms: Readonly<Record<string, Harming>> = {
  "a flipped bit in a manifest": async (site, step, chance) => flip(await aManifest(site, step, chance), chance),
  "a truncated manifest": async (site, step, chance) => truncate(await aManifest(site, step, chance), chance),
  "a deleted manifest": async (site, step, chance) => remove(await aManifest(site, step, chance)),
  "two shards' manifests swapped": async (site, step) => {
    const [one = "", other = ""] = await manifests(site, step);
    await swap(one, other);
    return { file: basename(one) };
  },
};

/** Damage to a file of the dataset. */
export const datasetHarms: Readonly<Record<string, (path: string, chance: Chance) => Promise<Harm>>> = {
  "a flipped bit": flip,
  "a truncated file": truncate,
  "a range of zeros": zero,
  "a deleted file": remove,
};

/** Damage to a file that accounts for the dataset. */
export const accountHarms: typeof datasetHarms = {
  "a flipped bit": flip,
  "a truncated file": truncate,
  "a range cut out": cutOut,
};
