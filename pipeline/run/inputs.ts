import { type InputFile, InputsFile } from "../../schemas/inputs.ts";
import { type InputsSummary, summarise } from "../import/tally.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { inputsPath, isThere, type RunFolder, readTextIfThere } from "../store/run-folder.ts";
import { opened, sealed } from "../store/seal.ts";

/** What the last import saw; null before the first, or when another version wrote it. */
export async function readInputs(run: RunFolder): Promise<InputsFile | null> {
  const text = await readTextIfThere(inputsPath(run));
  return text === null ? null : (InputsFile.safeParse(opened(text)).data ?? null); // damaged: everything is read again
}

/** Is there an account that nobody can read? */
export const inputsAreDamaged = async (run: RunFolder): Promise<boolean> =>
  (await readInputs(run)) === null && (await isThere(inputsPath(run)));

export const writeInputs = (run: RunFolder, inputs: InputsFile): Promise<void> => writeTextAtomically(inputsPath(run), sealed(inputs));

/** Where the input lies, and nothing of what was seen there: the next import reads everything again. */
export const forgotten = (inputs: InputsFile): InputsFile => ({ ...inputs, units: [], unread: 0 });

/** A file all of whose runs were seen in an earlier file is another view of those, not an import of its own. */
export function markRepeats(files: readonly InputFile[]): InputFile[] {
  const first = new Map<string, string>();
  return files.map((file) => {
    const seen = file.trajectories.map((id) => first.get(id)).find((name) => name !== undefined);
    const repeats = file.trajectories.every((id) => first.has(id));
    for (const id of file.trajectories) if (!first.has(id)) first.set(id, file.file);
    return file.disposition === "imported" && repeats && seen !== undefined && seen !== file.file
      ? { ...file, disposition: "partOf" as const, why: `the same run as in ${seen}` }
      : file;
  });
}

export const allFiles = (inputs: InputsFile | null): InputFile[] => markRepeats(inputs?.units.flatMap((unit) => unit.files) ?? []);

export const summariseInputs = (inputs: InputsFile | null): InputsSummary => summarise(allFiles(inputs));
