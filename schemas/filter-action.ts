import { z } from "zod";

/** What a failing filter does, from the harshest to none. Which filters may take which is a matter of their scope (`stages/filter/actions`). */
export const FilterAction = z.enum([
  "reject-trajectory", // everything, the `base` sample included
  "reject-context", // the context management: all segments and condensations; the `base` sample may stay
  "drop-last", // the last context call, where the filter passes without it and the merged last segment fits; else as reject-context
  "reject-sample", // one sample; of a block: the segment that makes the call, or the segment and the condensation of its memory
  "flag", // nothing: the failure stands in the row
]);
export type FilterAction = z.infer<typeof FilterAction>;
