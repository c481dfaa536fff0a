import type { SetMetrics } from "../../schemas/metrics.ts";

/** Of a trajectory that is like no other. */
export const nothingToCompare: SetMetrics = { stepsSketch: null, taskSketch: null, instance: "acme__web-1", repository: "acme/web" };
