import { z } from "zod";

/** The gates before publishing, in the order they are asked. */
export const GateName = z.enum(["digests", "secrets", "licence", "contamination"]);
export type GateName = z.infer<typeof GateName>;

export const PublishRecipe = z.strictObject({
  approved: z
    .array(
      z.strictObject({
        gate: GateName.describe("which gate: digests, secrets, licence, contamination"),
        subject: z.string().min(1).describe("the finding, as the gate names it"),
        reason: z.string().min(1).describe("why it may go: who looked at what"),
      }),
    )
    .default([])
    .describe(
      "Findings of the gates that may go all the same, each by name: [{gate: licence, subject: 'mine: CC-BY-NC-4.0', reason: 'asked the authors'}]. They are named in the commit.",
    ),
});
export type PublishRecipe = z.infer<typeof PublishRecipe>;
