import { IndexBuilt } from "../../schemas/contamination.ts";
import { Fault } from "../../schemas/fault.ts";
import { grouped } from "../../stages/export/number-text.ts";
import { buildIndex, type IndexRequest } from "../contamination/build-index.ts";
import { type CommonOptions, print, progressFor } from "./shared.ts";

export interface IndexCommandOptions extends Pick<CommonOptions, "json" | "quiet"> {
  readonly from: string;
  readonly fields: string;
  readonly id: string;
  readonly name: string;
  readonly out: string;
}

/** `problem_statement,patch,solution:patch`: a field holds a patch where it says so, or where its name ends in patch or diff. */
function columnsOf(fields: string): Pick<IndexRequest, "text" | "patch"> {
  const text: string[] = [];
  const patch: string[] = [];
  for (const word of fields.split(",").map((one) => one.trim())) {
    const [field = "", said, ...more] = word.split(":");
    if (field === "" || more.length > 0 || (said !== undefined && said !== "text" && said !== "patch"))
      throw new Fault(
        "USAGE",
        "stop",
        `expected --fields NAME,NAME:text,NAME:patch, such as problem_statement,patch; got ${JSON.stringify(fields)}`,
      );
    ((said ?? (/(?:patch|diff)$/i.test(field) ? "patch" : "text")) === "patch" ? patch : text).push(field);
  }
  return { text, patch };
}

function requireName(name: string): string {
  if (/^[\w.-]+$/.test(name)) return name;
  throw new Fault("USAGE", "stop", `expected --name of letters, digits, dots, dashes and underscores; got ${JSON.stringify(name)}`);
}

function builtText({ out, name, bytes, rows, instances, text, patch }: IndexBuilt): string {
  const part = (what: string, { fields, fingerprints, instancesWithout }: IndexBuilt["text"]): string =>
    `  ${what} (${fields.join(", ")}): ${grouped(fingerprints)} fingerprints${instancesWithout === 0 ? "" : `; ${grouped(instancesWithout)} instances are under 13 words and can be found by id alone`}`;
  return [
    `${out}: ${grouped(instances)} instances of ${grouped(rows)} rows, ${grouped(bytes)} bytes, as ${name}; ids and hashes, no text`,
    ...(text.fields.length === 0 ? [] : [part("text", text)]),
    ...(patch === null ? [] : [part("patch", patch)]),
    `use it: catgen run 5-6 --run NAME --set 'evaluation.indexes=[${out}]'`,
  ].join("\n");
}

/** `catgen decontamination index`: fingerprints of an evaluation set that the user has, to hold trajectories against. */
export async function indexCommand(options: IndexCommandOptions): Promise<number> {
  const { from, id, out } = options;
  const request = { from, id, out, name: requireName(options.name), ...columnsOf(options.fields) };
  const progress = progressFor(options);
  progress.start("index", 0);
  const built = IndexBuilt.parse(await buildIndex(request, () => progress.step()).finally(() => progress.end()));
  print(options, built, () => builtText(built));
  return 0;
}
