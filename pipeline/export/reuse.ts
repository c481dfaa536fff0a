import { copyFile, link, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { Tallies } from "../../schemas/manifest.ts";
import { SampleKind } from "../../schemas/sample.ts";
import { Stats } from "../../schemas/stats.ts";
import { Digest } from "../../schemas/trajectory.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import { asIoFault, writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import { readTextIfThere } from "../store/run-folder.ts";
import { opened, sealed } from "../store/seal.ts";

const Count = z.int().nonnegative();

/** The Parquet files of one layout, kind and split, with the key of what they were made of. */
export const WrittenPart = z.strictObject({
  key: Digest,
  layout: z.enum(Object.keys(layouts) as [LayoutName, ...LayoutName[]]),
  kind: SampleKind,
  split: z.enum(["train", "validation"]),
  rows: Count,
  tokens: Count,
  trainedTokens: Count,
  bytes: Count,
  files: z.array(z.strictObject({ path: z.string(), sha256: Digest, rows: Count })),
});
export type WrittenPart = z.infer<typeof WrittenPart>;

const Counts = z.record(z.string(), Count);

/** What a whole export was made of, and all that its texts say of the samples but for the funnel. */
export const Whole = z.strictObject({
  key: Digest,
  account: z.strictObject({
    trajectories: Count,
    notKept: z.record(SampleKind, Count),
    refused: z.record(z.string(), Counts),
    provenance: z.strictObject({
      trajectories: Count,
      sources: z.record(z.string(), Counts),
      agentModels: Counts,
      condensers: Counts,
      scripted: Count,
    }),
    repositories: z.strictObject({ train: Count, validation: Count }),
    tallies: Tallies,
  }),
  tableOne: Stats.omit({ funnel: true, mixtures: true }),
});
export type Whole = z.infer<typeof Whole>;

const PartsFile = z.strictObject({ format: z.literal("catgen.export-parts/1"), whole: Whole.nullable(), parts: z.array(WrittenPart) });

/** What lies in an exported folder. */
export interface EarlierExport {
  readonly folder: string;
  readonly whole: Whole | null;
  readonly parts: readonly WrittenPart[];
}

async function readPartsFile(path: string): Promise<z.infer<typeof PartsFile> | "damaged" | "gone"> {
  const text = await readTextIfThere(path);
  return text === null ? "gone" : (PartsFile.safeParse(opened(text)).data ?? "damaged");
}

/** An account that is damaged, or of another version, leaves nothing to reuse. */
export async function readParts(path: string, folder: string): Promise<EarlierExport> {
  const file = await readPartsFile(path);
  return typeof file === "string" ? { folder, whole: null, parts: [] } : { folder, whole: file.whole, parts: file.parts };
}

/** What is wrong with the account at `path`; null: nothing. `exported`: a dataset is there, whose export wrote one. */
export async function partsProblem(path: string, exported: boolean): Promise<string | null> {
  const file = await readPartsFile(path);
  if (file === "damaged") return `${path} is no whole account of what the Parquet files were made of`;
  return file === "gone" && exported ? `${path} is gone` : null;
}

export const writeParts = (path: string, whole: Whole | null, parts: readonly WrittenPart[]): Promise<void> =>
  writeTextAtomically(path, sealed({ format: "catgen.export-parts/1", whole, parts: [...parts] }));

/** The second name of a file where the file system can give one, else a copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await link(from, to).catch(() => copyFile(from, to));
  } catch (error) {
    throw asIoFault(error, `writing ${to}`);
  }
}

/** Are all files there, with the digests they had? */
export const isWhole = async (folder: string, { files }: Pick<WrittenPart, "files">): Promise<boolean> => {
  for (const { path, sha256 } of files) {
    const found = await fileDigest(join(folder, path)).catch(() => null); // gone: it is written anew
    if (found?.sha256 !== sha256) return false;
  }
  return true;
};

async function take({ folder }: EarlierExport, { files }: WrittenPart, to: string): Promise<void> {
  for (const { path } of files) await linkOrCopy(join(folder, path), join(to, path));
}

/** Puts all files of an export that was made of the same into `folder`; null where there is none with all of them whole. */
export async function reuseWhole(
  earlier: readonly EarlierExport[],
  key: string,
  folder: string,
): Promise<{ whole: Whole; parts: readonly WrittenPart[] } | null> {
  for (const exported of earlier) {
    const { whole, parts } = exported;
    if (whole?.key !== key) continue;
    const sound = await Promise.all(parts.map((part) => isWhole(exported.folder, part)));
    if (sound.includes(false)) continue;
    for (const part of parts) await take(exported, part, folder);
    return { whole, parts };
  }
  return null;
}

/** Puts the files of a part that was made of the same into `folder`; null where no earlier export has them whole. */
export async function reusePart(earlier: readonly EarlierExport[], key: string, folder: string): Promise<WrittenPart | null> {
  for (const exported of earlier)
    for (const part of exported.parts) {
      if (part.key !== key || !(await isWhole(exported.folder, part))) continue;
      await take(exported, part, folder);
      return part;
    }
  return null;
}
