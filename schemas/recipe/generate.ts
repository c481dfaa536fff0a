import { z } from "zod";
import { RolloutRecipe } from "./rollout.ts";

export const PersonalKind = z.enum(["commit-name", "mail", "phone", "ip", "home-path"]);
export type PersonalKind = z.infer<typeof PersonalKind>;

export const ScrubRecipe = z.strictObject({
  secrets: z
    .boolean()
    .default(true)
    .describe(
      "Replace keys, tokens, passwords and private keys by placeholders such as [SECRET:github-token:1], before anything is stored. Values of your own variables (CATGEN_API_KEY, ...) always are.",
    ),
  personal: z
    .array(PersonalKind)
    .default([])
    .describe(
      "Personal data to replace, too: mail, phone, ip, home-path (account names in paths), commit-name. Repositories publish most of it themselves; off by default.",
    ),
});
export type ScrubRecipe = z.infer<typeof ScrubRecipe>;

export const GenerateRecipe = z.strictObject({
  source: z
    .string()
    .regex(/^[^/\s]+$/)
    .nullable()
    .default(null)
    .describe("First part of the ids of imported trajectories. null: the dialect's family, e.g. swe-agent."),
  licence: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("SPDX id of the imported data's licence, used where a row states none. null: unknown."),
  maxRecordMegabytes: z
    .number()
    .positive()
    .max(500)
    .default(256)
    .describe("Largest input record, MB (JSON text); larger ones are quarantined. Node strings end at 512 MB."),
  scrub: ScrubRecipe.prefault({}).describe("What is taken out of every text of a trajectory when it is read or rolled out."),
  rollout: RolloutRecipe.prefault({}).describe("Live runs of an agent on tasks (--tasks)."),
});
export type GenerateRecipe = z.infer<typeof GenerateRecipe>;
