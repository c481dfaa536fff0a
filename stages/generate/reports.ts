import type { OutcomeFact } from "../../schemas/inputs.ts";
import { idPart } from "./identity.ts";
import { field, flagAt, isFields, listAt, textAt, wordAt } from "./lenient.ts";

/** What a report says of one instance, before it is tied to a folder. */
export interface Judged {
  readonly instance: string;
  readonly resolved: boolean;
  /** The judged patch, where the report holds it. */
  readonly patch: string | null;
}

interface ReportShape {
  readonly name: string;
  read(value: unknown, file: string): readonly Judged[] | null;
}

const judged = (instance: string, resolved: boolean, patch: string | null = null): Judged => ({ instance, resolved, patch });
const patchIn = (value: unknown): string | null => textAt(value, "model_patch") ?? textAt(value, "git_patch");
const names = (value: unknown, key: string): string[] =>
  (listAt(value, key) ?? []).filter((name): name is string => typeof name === "string" && name !== "");

/** Lists of ids that mean "judged, and not solved" once the solved ones are taken out; errors and missing runs say nothing. */
const unsolvedLists = [
  "unresolved_ids",
  "unresolved",
  "empty_patch_ids",
  "empty_error_patch_ids",
  "applied",
  "no_apply",
  "no_generation",
  "generated",
];

const shapes: readonly ReportShape[] = [
  {
    name: "harness report of one instance",
    read(value, file) {
      const resolved = flagAt(value, "resolved");
      const graded = isFields(field(value, "tests_status")) || flagAt(value, "patch_successfully_applied") !== null;
      const instance = wordAt(value, "instance_id") ?? file.split("/").at(-2) ?? null;
      return resolved === null || !graded || instance === null ? null : [judged(instance, resolved, patchIn(value))];
    },
  },
  {
    name: "harness report by instance",
    read(value) {
      const entries = Object.entries(isFields(value) ? value : {});
      if (entries.length === 0 || !entries.every(([, entry]) => flagAt(entry, "resolved") !== null)) return null;
      return entries.map(([instance, entry]) => judged(instance, flagAt(entry, "resolved") === true, patchIn(entry)));
    },
  },
  {
    name: "run summary with lists of ids",
    read(value) {
      if (!Array.isArray(field(value, "resolved_ids")) && !Array.isArray(field(value, "resolved"))) return null;
      const solved = new Set([...names(value, "resolved_ids"), ...names(value, "resolved")]);
      const unsolved = new Set(unsolvedLists.flatMap((list) => names(value, list)).filter((name) => !solved.has(name)));
      return [...[...solved].map((name) => judged(name, true)), ...[...unsolved].map((name) => judged(name, false))];
    },
  },
  {
    name: "list of judged instances",
    read(value) {
      const rows = Array.isArray(value) ? value : listAt(value, "instances");
      if (rows === null || rows.length === 0) return null;
      const plain = (row: unknown): boolean =>
        wordAt(row, "instance_id") !== null &&
        typeof field(row, "resolved") === "boolean" &&
        !["messages", "trajectory", "history", "sha256"].some((key) => field(row, key) !== undefined);
      return rows.every(plain)
        ? rows.map((row) => judged(wordAt(row, "instance_id") ?? "", field(row, "resolved") === true, patchIn(row)))
        : null;
    },
  },
  {
    name: "map from instance to verdict",
    read(value) {
      const entries = Object.entries(isFields(value) ? value : {});
      if (
        entries.length === 0 ||
        !entries.every(([name, verdict]) => name.includes("__") && name !== "__proto__" && typeof verdict === "boolean")
      )
        return null;
      return entries.map(([name, verdict]) => judged(name, verdict === true));
    },
  },
];

export interface Report {
  readonly name: string;
  readonly judged: readonly Judged[];
}

/** A parsed JSON file as an evaluation report, or null. */
export function readReport(value: unknown, file: string): Report | null {
  for (const shape of shapes) {
    const found = shape.read(value, file);
    if (found !== null && found.length > 0) return { name: shape.name, judged: found };
  }
  return null;
}

/** OpenHands' `output.swebench_eval.md`: `## Resolved Instances`, `## Unresolved Instances`, ..., each a list of linked ids. */
export function readMarkdownReport(text: string): Report | null {
  if (!/^# SWE-bench Report/m.test(text)) return null;
  const found = new Map<string, boolean>();
  for (const section of text.split(/^## /m).slice(1)) {
    const verdict = section.startsWith("Resolved Instances") ? true : /^(?:Unresolved|Empty Patch) Instances/.test(section) ? false : null;
    if (verdict === null) continue;
    for (const [, name = ""] of section.matchAll(/^- \[?([^\]\s(]+)/gm)) found.set(name, found.get(name) === true || verdict);
  }
  return found.size === 0 ? null : { name: "SWE-bench report page", judged: [...found].map(([name, resolved]) => judged(name, resolved)) };
}

/** CodeR and others leave a comma before a closing bracket; text inside strings is not touched. */
export const withoutTrailingCommas = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[}\]])/gs, (found) => (found === "," ? "" : found));

const reportFolder =
  /^(?:reports?|results?|meta|logs|evals?|evaluations?|eval[-_.].+|.+[-_.]evals?|run_evaluation|evaluation_(?:results|outputs))$/i;

/**
 * The folder under which a report holds: the one it lies in; a folder named after its only instance and folders named like `reports`,
 * `results`, `meta`, `logs`, `eval...`, `run_evaluation` stand for their parent. Never wider: the next folder belongs to another agent.
 */
export function scopeOf(file: string, instances: readonly string[]): string {
  const folders = file.split("/").slice(0, -1);
  if (instances.length === 1 && folders.at(-1) === instances[0]) folders.pop();
  while (reportFolder.test(folders.at(-1) ?? "")) folders.pop();
  return folders.join("/");
}

/** Report -> facts that can be joined. `sha256` is the digest of the report file. */
export function factsOf(report: Report, file: string, sha256: string, digest: (text: string) => string): OutcomeFact[] {
  const scope = scopeOf(
    file,
    report.judged.map((entry) => entry.instance),
  );
  return report.judged.map((entry) => ({
    instance: idPart(entry.instance),
    resolved: entry.resolved,
    scope,
    patch: entry.patch === null ? null : patchDigest(entry.patch, digest),
    detail: `${report.name}: ${file}`,
    digest: sha256,
  }));
}

/** Patches are compared without the white space around them, which harnesses trim. */
export const patchDigest = (patch: string, digest: (text: string) => string): string => digest(patch.trim());
