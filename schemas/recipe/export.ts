import { z } from "zod";
import { SampleKind } from "../sample.ts";
import { share } from "./ranges.ts";
import { TrainingRecipe } from "./training.ts";

export const ExportRecipe = z.strictObject({
  kinds: z.array(SampleKind).min(1).default(["segment", "condense", "base"]).describe("Kinds of samples: segment, condense, base."),
  layouts: z
    .array(z.enum(["messages", "input-output"]))
    .min(1)
    .default(["messages", "input-output"])
    .describe("Columns on disk: messages, input-output."),
  condenseExtractive: z
    .boolean()
    .default(false)
    .describe("Also export `condense` samples whose memory the built-in extractive condenser wrote."),
  baseTools: z
    .enum(["with-context", "without-context"])
    .default("with-context")
    .describe("Whether the `context` tool is described in `base` samples. The paper is silent; with it the schema is constant."),
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
  name: z.string().min(1).default("CAT-Instruct").describe("Name of the dataset in its card."),
  training: TrainingRecipe.prefault({}).describe("What the launch configs say."),
});
export type ExportRecipe = z.infer<typeof ExportRecipe>;
