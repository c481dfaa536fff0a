import type { Filter } from "./filter.ts";

/** The run ended in a way that is not wanted, such as a limit or a crash. CAT 2.4 (5): unrecoverable error states are discarded. */
export const badExit: Filter = {
  scope: "trajectory",
  limit: "exits",
  fails: ({ exit }, { exits }) => (exits === null || exits.includes(exit) ? null : { value: exit, limit: exits.join(" ") }),
};
