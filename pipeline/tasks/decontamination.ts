import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "../../schemas/fault.ts";
import { type EvaluationList, parseEvaluationList } from "../../stages/lib/decontamination.ts";

const shipped = fileURLToPath(new URL("../../data/decontamination/", import.meta.url));

/** The lists we ship, sorted by name, then `further` (paths from the recipe) in their order. A list is named after its file. */
export async function loadEvaluationLists(further: readonly string[]): Promise<EvaluationList[]> {
  const names = (await readdir(shipped).catch(missing(shipped))).filter((name) => name.endsWith(".txt")).sort();
  return Promise.all([...names.map((name) => join(shipped, name)), ...further].map(loadList));
}

export async function loadList(path: string): Promise<EvaluationList> {
  const { list, wrong } = parseEvaluationList(basename(path).replace(/\.\w+$/, ""), await readFile(path, "utf8").catch(missing(path)));
  if (wrong.length > 0)
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `${path}:${wrong[0]}: expected one instance id or one owner/name per line, got something else; mend the list`,
    );
  if (list.instances.size + list.repositories.size === 0)
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `${path}: expected instance ids or owner/name, one per line, got an empty list; fill it or leave it out`,
    );
  return list;
}

/** A list that cannot be read must stop the run: without it evaluation data would be trained on. */
const missing =
  (path: string) =>
  (cause: unknown): never => {
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `the list of evaluation instances ${path} cannot be read; check the path and its permissions`,
      { cause },
    );
  };
