import type { SetMetrics } from "../../../schemas/metrics.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { instanceKey, plainRepository, repositoryOf } from "../../lib/decontamination.ts";
import { minHash, sketchText, stepsSketchValues, taskSketchValues } from "../selection/min-hash.ts";
import { stepWords, textWords } from "../selection/words.ts";
import type { Measure } from "./measure.ts";

/** The repository that the task names, else the one that its instance's id names. */
const repository = ({ task, instance }: Trajectory): string | null => {
  const named = task.repository === null ? null : plainRepository(task.repository);
  return (named ?? repositoryOf(instance))?.toLowerCase() ?? null;
};

/** Per trajectory, for comparing it with all others. The task is compared by its bare statement: the scaffold's words around it are the same for all. */
export const setMeasures: { readonly [K in keyof SetMetrics]: Measure<Trajectory, SetMetrics[K]> } = {
  stepsSketch: ({ steps, task }) => sketchText(minHash(stepWords(steps, task.workdir), stepsSketchValues)),
  taskSketch: ({ task }) => sketchText(task.issue === null ? null : minHash(textWords(task.issue), taskSketchValues)),
  instance: ({ instance }) => instanceKey(instance),
  repository,
};
