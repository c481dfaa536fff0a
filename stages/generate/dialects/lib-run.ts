import type { Mark, Outcome, SourceCallStyle, Task } from "../../../schemas/trajectory.ts";
import type { Assembled } from "../assemble.ts";
import { endsRun, exitOf } from "../exit.ts";
import { flagAt, textAt, wordAt } from "../lenient.ts";
import { issueIn, repositoryOf, workdirIn } from "../task-text.ts";
import type { ReadRun } from "./dialect.ts";

interface Facts {
  readonly instance: string | null;
  readonly model: string | null;
  readonly licence?: string | null;
  readonly callStyle: SourceCallStyle;
  readonly tools?: readonly unknown[] | null;
  readonly repository?: string | null;
  readonly workdir?: string | null;
  readonly issue?: string | null;
  readonly resolved?: boolean | null;
  /** Field that says so, for the evidence. */
  readonly resolvedBy?: string;
  readonly rawExit?: string | null;
  /** Did the agent end the run by a call that is not named after it? */
  readonly endedItself?: boolean;
  readonly patch?: string | null;
  readonly marks?: readonly Mark[];
}

/** Puts a dialect's findings together; a run without an agent turn is `empty`, with the source's own reason where it has one. */
export function foundRun(assembled: Assembled, facts: Facts): ReadRun {
  const { system, prompt, steps } = assembled;
  if (steps.length === 0) {
    return {
      ok: false,
      kind: "empty",
      why: facts.rawExit ? `no agent turn; the run ended with ${facts.rawExit.slice(0, 200)}` : "no agent turn",
    };
  }
  const task: Task = {
    system,
    prompt,
    issue: facts.issue ?? issueIn(prompt),
    workdir: facts.workdir ?? workdirIn(prompt),
    repository: facts.repository ?? repositoryOf(facts.instance),
    tools: (facts.tools ?? []).map((tool) => (typeof tool === "string" ? tool : JSON.stringify(tool))),
  };
  const outcome = outcomeOf(facts, facts.endedItself || (steps.at(-1)?.calls.some((call) => endsRun(call.name)) ?? false));
  const { instance, model, callStyle } = facts;
  return {
    ok: true,
    run: {
      instance,
      model,
      licence: facts.licence ?? null,
      callStyle,
      task,
      steps,
      outcome,
      marks: [...assembled.marks, ...(facts.marks ?? [])],
    },
  };
}

/** The source's word decides how the run ended; without one, a last call that ends runs does. */
function outcomeOf(facts: Facts, endedItself: boolean): Outcome {
  const resolved = facts.resolved ?? null;
  const rawExit = facts.rawExit ?? null;
  return {
    resolved,
    evidence: resolved === null ? null : { kind: "row", detail: `field ${facts.resolvedBy ?? "resolved"} of the record`, digest: null },
    exit: rawExit === null && endedItself ? "submitted" : exitOf(rawExit),
    rawExit,
    patch: facts.patch ?? null,
  };
}

/** `registry/sweb.eval.x86_64.owner_1776_name-123:latest` names the instance of rows that have no other name for it (CoderForge). */
const instanceOfImage = (image: string | null): string | null =>
  /(?:^|[/.])([A-Za-z0-9-]+(?:__|_1776_|_s_)[\w.-]+?)(?::\w+)?$/.exec(image ?? "")?.[1]?.replace(/_1776_|_s_/, "__") ?? null;

/** Fields that rows of many published tables share. */
export function rowFacts(
  row: unknown,
): Pick<Facts, "instance" | "model" | "licence" | "repository" | "resolved" | "resolvedBy" | "rawExit" | "patch"> {
  const flags = (["resolved", "target", "reward"] as const).map((name) => [name, flagAt(row, name)] as const);
  const flag = flags.find(([, value]) => value !== null) ?? (["report.resolved", flagAt(row, "report", "resolved")] as const);
  return {
    instance: wordAt(row, "instance_id") ?? instanceOfImage(wordAt(row, "image")),
    model: wordAt(row, "model") ?? wordAt(row, "model_name") ?? wordAt(row, "model_name_or_path"),
    licence: wordAt(row, "license") ?? wordAt(row, "licence"),
    repository: wordAt(row, "repo"),
    resolved: flag[1],
    resolvedBy: flag[0],
    rawExit: wordAt(row, "exit_status") ?? wordAt(row, "exit") ?? wordAt(row, "exit_reason") ?? wordAt(row, "finish_reason"),
    patch: textAt(row, "model_patch") ?? textAt(row, "patch") ?? textAt(row, "generated_patch") ?? textAt(row, "test_result", "git_patch"),
  };
}
