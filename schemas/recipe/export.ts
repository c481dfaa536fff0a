import { z } from "zod";
import { SampleKind } from "../sample.ts";
import { AboutRecipe } from "./about.ts";
import { share } from "./ranges.ts";
import { TrainingRecipe } from "./training.ts";

const most = (kind: SampleKind, more = "") => z.int().positive().nullable().default(null).describe(`\`${kind}\` samples at most.${more}`);
export const MixRecipe = z.strictObject({
  segment: most("segment", " 20000 with base: 20000 gives 20k CAT and 20k base samples; CAT section 3: 20k instances."),
  condense: most("condense"),
  base: most("base"),
  flat: most("flat"),
  step: most("step"),
});
export type MixRecipe = z.infer<typeof MixRecipe>;

/** What one model is trained on, by name (`stages/export/dataset-parts.ts`). */
export const MixtureName = z.enum(["cat", "base", "flat", "step", "cat-base"]);
export type MixtureName = z.infer<typeof MixtureName>;

export const ExportRecipe = z.strictObject({
  kinds: z
    .array(SampleKind)
    .min(1)
    .default(["segment", "condense", "base"])
    .describe(
      "Kinds of samples: segment, condense, base; flat = whole trajectories with their context calls, nothing folded; step = one sample per model call.",
    ),
  layouts: z
    .array(z.enum(["messages", "input-output", "tokenized", "prompt-completion", "turns", "structured", "atif"]))
    .min(1)
    .default(["messages", "input-output"])
    .describe(
      "Columns on disk: messages, input-output, tokenized (and a save_to_disk folder), prompt-completion, turns, structured, atif. What each says of the loss is in its schema.json.",
    ),
  condenseExtractive: z
    .boolean()
    .default(false)
    .describe("Also export `condense` samples whose memory the built-in extractive condenser wrote."),
  baseTools: z
    .enum(["with-context", "without-context"])
    .default("with-context")
    .describe("Whether the `context` tool is described in `base` samples. The paper is silent; with it the schema is constant."),
  baseOutcome: z
    .enum(["resolved", "not-failed"])
    .nullable()
    .default("resolved")
    .describe(
      "Runs that give `base` samples: `resolved` = success is evident (SWE-smith's protocol, as in CAT's BASE-INSTRUCT), not-failed, null = whatever the filters keep.",
    ),
  baseMaxPerInstance: z
    .int()
    .positive()
    .nullable()
    .default(3)
    .describe(
      "`base` samples of one task instance at most, drawn by run.seed (SWE-smith: 3, so that easy tasks do not prevail). null: all.",
    ),
  mix: MixRecipe.prefault({}).describe("How many samples of each kind at most, drawn by run.seed and the sample's id. null: all."),
  mixtures: z
    .array(MixtureName)
    .min(1)
    .default(["cat", "base", "flat", "step"])
    .describe(
      "Mixtures that training configs are written for, where the dataset has their kinds; run.sh takes the first: cat = segment and condense, base, flat, step = step and condense, cat-base = segment, condense and base in one training (preset mix-20k).",
    ),
  validationShare: share().default(0.02).describe("Share of repositories whose samples go to validation, 0..1. Our choice."),
  shardMegabytes: z
    .number()
    .positive()
    .max(2_000)
    .default(200)
    .describe("Uncompressed size at which a Parquet file is closed, MB. Usual on the Hub."),
  rowGroupMegabytes: z
    .number()
    .positive()
    .max(63)
    .default(48)
    .describe("Uncompressed size of a row group, MB, under 64: `datasets` reads one group per batch."),
  allowSecretTypes: z
    .array(z.string().regex(/^[a-z][a-z0-9-]*$/))
    .default([])
    .describe(
      "Types of secrets that samples may hold, e.g. [password]: for false alarms that you have looked at. All others keep a sample out (`secret:<type>`).",
    ),
  audit: z
    .enum(["none", "kept", "all"])
    .default("kept")
    .describe(
      "Trajectories that travel with the dataset, with insertion points, memories and metrics (audit/), so that others can judge them by other thresholds: kept = those that the thresholds keep (for stricter ones), all = the rejected too (for looser ones), none. Our choice.",
    ),
  name: z.string().min(1).default("CAT-Instruct").describe("Name of the dataset in its card."),
  about: AboutRecipe.prefault({}).describe("What only people know of the dataset, for its card and metadata."),
  training: TrainingRecipe.prefault({}).describe("What the launch configs say."),
});
export type ExportRecipe = z.infer<typeof ExportRecipe>;
