import { z } from "zod";

/** Lower-case hex SHA-256. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/);
export type Digest = z.infer<typeof Digest>;

/** `<source>/<instance>/<attempt>`; attempt = first 12 hex digits of the digest of task and steps, so adding a file renames nothing. */
export const TrajectoryId = z.string().regex(/^[^/\s]+\/[^/\s]+\/[0-9a-f]{12}$/);
export type TrajectoryId = z.infer<typeof TrajectoryId>;

/** Half-open range [start, end) over `Trajectory.steps`, counted from 0; never empty. */
export const Span = z
  .strictObject({ start: z.int().nonnegative(), end: z.int().positive() })
  .refine((span) => span.start < span.end, "a span holds at least one step");
export type Span = z.infer<typeof Span>;

/** One tool call with its own result, so that no cut between steps can part the two. */
export const Call = z.strictObject({
  /** The source's call id, kept for lossless export; null where the source has none (calls written in text). */
  id: z.string().nullable(),
  name: z.string().min(1),
  /** Raw JSON text as the model wrote it (or as the dialect built it from a text action); may be unparsable, then marked. */
  arguments: z.string(),
  /** What the environment answered; null: the run ended first, or the source lost it (marked when in mid-run). */
  result: z.string().nullable(),
  /** Exit code of a shell command where the source states one. */
  exitCode: z.int().nullable(),
  /** What the source itself says about failure; null where it says nothing. `stages/lib/commands` derives the rest. */
  failed: z.boolean().nullable(),
});
export type Call = z.infer<typeof Call>;

/** One agent turn: its text, its calls with their results, and whatever feedback follows before the next turn. */
export const Step = z.strictObject({
  /** The visible text of the turn, without the calls. Empty when the turn is calls alone. */
  thought: z.string(),
  /** Hidden reasoning that the source keeps apart from the visible text. Never rendered into samples. */
  reasoning: z.string().nullable(),
  calls: z.array(Call),
  /** User-side messages that are no tool result (nudges, format errors, interruptions), in order. */
  feedback: z.array(z.string()),
});
export type Step = z.infer<typeof Step>;

/** What import saw and did not mend. Closed set; a new mark is a new line here. */
export const Mark = z.enum([
  "pre-condensed", // observations or events were already condensed before we saw them
  "submit-not-by-agent", // the scaffold submitted for the agent (SWE-agent `submitted (exit_cost)`)
  "patch-mismatch", // the row's patch touches none of the files the agent edited
  "parallel-calls", // some turn has more than one call
  "truncated", // the source ends in mid-run
  "no-final-result", // the last call has no result
  "missing-result", // a call before the last step has no result
  "unparsable-arguments", // a call's arguments are no JSON object
  "silent-step", // a step before the last has neither result nor feedback, so two agent turns would meet
  "feedback-before-first-step", // user-side messages came before the first agent turn and were appended to the prompt
  "empty-turn", // an agent turn with neither text nor call
  "lossy-utf8", // the input had bytes that are no UTF-8
  "fabricated-turns", // the source is known to invent turns
  "multi-agent", // several agents wrote into one run
  "duplicate-call-ids", // two calls of one run share an id
  "orphan-result", // a tool result answers no known call (kept as feedback)
  "demonstration-removed", // an in-context demonstration was left out
  "parts-left-out", // the agent also saw something that is no text (an image, a document)
  "diverged-on-resume", // a live run was resumed, and from some turn on observations differed from those before
  "tests-touched", // the patch changed test files of the verifier, which were put back
  "scrubbed", // secrets or personal data were replaced by placeholders, which say of what type
  "branches-left-out", // the source also holds turns that were taken back, or other attempts, beside the run that was kept
]);
export type Mark = z.infer<typeof Mark>;

/** How a run ended, as a closed set; `raw` keeps the source's own word. */
export const ExitStatus = z.enum([
  "submitted", // the agent ended the run itself
  "auto-submitted", // the scaffold took the patch when a limit was hit
  "step-limit",
  "cost-limit",
  "context-limit",
  "time-limit",
  "stuck", // the agent repeated one turn, or called no tool, again and again
  "error", // the scaffold or the endpoint broke
  "unknown",
]);
export type ExitStatus = z.infer<typeof ExitStatus>;

export const Outcome = z.strictObject({
  /** Did the patch pass the task's hidden tests? null: nobody says. */
  resolved: z.boolean().nullable(),
  /** Where `resolved` comes from; null exactly when `resolved` is null. `digest` is that of the report file, null for a flag in the row. */
  evidence: z.strictObject({ kind: z.enum(["row", "report", "verifier"]), detail: z.string(), digest: Digest.nullable() }).nullable(),
  exit: ExitStatus,
  rawExit: z.string().nullable(),
  /** Unified diff the run produced, as the source has it. */
  patch: z.string().nullable(),
});
export type Outcome = z.infer<typeof Outcome>;

/** How the source wrote its calls. `native` = structured tool calls; the rest is text inside the assistant message. */
export const SourceCallStyle = z.enum(["native", "bash-block", "xml", "fenced", "json", "none"]);
export type SourceCallStyle = z.infer<typeof SourceCallStyle>;

export const Task = z.strictObject({
  /** The source's system prompt; null: it has none. */
  system: z.string().nullable(),
  /** The source's own first user message(s): the task with the scaffold's instructions. */
  prompt: z.string(),
  /** The bare problem statement, where the prompt marks it off (`<pr_description>`, `<issue_description>`, ...); else null. */
  issue: z.string().nullable(),
  /** Working directory that the prompt names for the repository; else null. */
  workdir: z.string().nullable(),
  /** `owner/name` where known. */
  repository: z.string().nullable(),
  /** Tool schemas as the source gave them, each raw JSON text of `{"type": "function", "function": {...}}`. */
  tools: z.array(z.string()),
});
export type Task = z.infer<typeof Task>;

/** The record. Written once by stage 1; every later part points into it by step number. */
export const Trajectory = z.strictObject({
  format: z.literal("catgen.trajectory/1"),
  id: TrajectoryId,
  source: z.string().min(1),
  instance: z.string().min(1),
  origin: z.strictObject({
    dialect: z.string(),
    /** Path relative to the input it was found under, `/`-separated. */
    file: z.string(),
    /** 0-based record number inside a file of many, else null. */
    record: z.int().nonnegative().nullable(),
    /** Of the raw record's bytes (a row of a many-row file, or the whole file). */
    digest: Digest,
    licence: z.string().nullable(),
    /** Model that wrote the turns, where the source says so. */
    model: z.string().nullable(),
    callStyle: SourceCallStyle,
  }),
  task: Task,
  steps: z.array(Step).min(1),
  outcome: Outcome,
  /** Sorted, without repeats. */
  marks: z.array(Mark),
});
export type Trajectory = z.infer<typeof Trajectory>;
