import { copyFile, link, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { SampleKind } from "../../schemas/sample.ts";
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

const PartsFile = z.strictObject({ format: z.literal("catgen.export-parts/1"), parts: z.array(WrittenPart) });

/** Parts that lie in an exported folder. */
export interface EarlierExport {
  readonly folder: string;
  readonly parts: readonly WrittenPart[];
}

export async function readParts(path: string, folder: string): Promise<EarlierExport> {
  const text = await readTextIfThere(path);
  const parts = text === null ? [] : (PartsFile.safeParse(opened(text)).data?.parts ?? []); // damaged, or of another version: nothing to reuse
  return { folder, parts };
}

export const writeParts = (path: string, parts: readonly WrittenPart[]): Promise<void> =>
  writeTextAtomically(path, sealed({ format: "catgen.export-parts/1", parts: [...parts] }));

/** The second name of a file where the file system can give one, else a copy. */
async function place(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await link(from, to).catch(() => copyFile(from, to));
  } catch (error) {
    throw asIoFault(error, `writing ${to}`);
  }
}

const isWhole = async (folder: string, { files }: WrittenPart): Promise<boolean> => {
  for (const { path, sha256 } of files) {
    const found = await fileDigest(join(folder, path)).catch(() => null); // gone: it is written anew
    if (found?.sha256 !== sha256) return false;
  }
  return true;
};

/** Puts the files of a part that was made of the same into `folder`; null where no earlier export has them whole. */
export async function reusePart(earlier: readonly EarlierExport[], key: string, folder: string): Promise<WrittenPart | null> {
  for (const exported of earlier)
    for (const part of exported.parts) {
      if (part.key !== key || !(await isWhole(exported.folder, part))) continue;
      for (const { path } of part.files) await place(join(exported.folder, path), join(folder, path));
      return part;
    }
  return null;
}
