import { above, type Filter } from "./filter.ts";

/** The machine, not the agent, failed: disk, memory, network, basic tools, the container. */
export const brokenEnvironment: Filter = {
  scope: "trajectory",
  limit: "maxEnvironmentFailures",
  fails: (metrics, { maxEnvironmentFailures }) => above(metrics.environmentFailures, maxEnvironmentFailures),
};
