import { z } from "zod";

export const PersonaRecipe = z.strictObject({
  name: z
    .enum(["paper", "keep"])
    .default("paper")
    .describe(
      "Who the agent is in the samples: `paper` = CAT's tool set (execute_bash, str_replace_editor, submit, context); `keep` = prompt and tools of the source plus `context`.",
    ),
  system: z.string().min(1).nullable().default(null).describe("System prompt that replaces the persona's own. null: the persona's."),
  rename: z
    .record(z.string(), z.string())
    .default({})
    .describe("Further tool names of the source and what the persona calls them, e.g. {terminal: execute_bash}. Arguments are kept."),
  callStyle: z
    .enum(["hermes", "xml"])
    .default("hermes")
    .describe(
      "How calls are written in text: `hermes` = the Qwen2.5 chat template's <tool_call> JSON; `xml` = <function=NAME> with <parameter=KEY> as in OpenHands and SWE-smith, for backbones without tool calls.",
    ),
  controlTokens: z
    .enum(["reject", "escape"])
    .default("reject")
    .describe(
      "Text of the data that would become a control token (<|im_end|>, <tool_call>): `reject` the trajectory, or `escape` by a space after '<' (the live agent does the same).",
    ),
});
export type PersonaRecipe = z.infer<typeof PersonaRecipe>;
