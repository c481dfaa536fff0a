import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Prediction } from "../../schemas/verification.ts";

/** Name of the model where the trajectory does not say; the harness makes folders of it. */
const unnamed = "unknown";

export const predictionOf = ({ instance, origin, outcome }: Trajectory): Prediction => ({
  instance_id: instance,
  model_name_or_path: origin.model ?? unnamed,
  model_patch: outcome.patch ?? "",
});

/**
 * Predictions for the official harness, one list per file to write: it keeps one patch per instance and model, the last of a file, so the n-th attempt at an
 * instance goes into the n-th list. Order: by trajectory id, whatever the order they came in.
 */
export function predictionFiles(trajectories: readonly Trajectory[]): Prediction[][] {
  const files: Prediction[][] = [];
  const attempts = new Map<string, number>();
  for (const trajectory of trajectories.toSorted((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0))) {
    const nth = attempts.get(trajectory.instance) ?? 0;
    attempts.set(trajectory.instance, nth + 1);
    if (nth === files.length) files.push([]);
    files[nth]?.push(predictionOf(trajectory));
  }
  return files;
}
