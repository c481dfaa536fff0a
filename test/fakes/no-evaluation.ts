import type { Contamination, EvaluationDigests } from "../../schemas/contamination.ts";

/** A trajectory that has nothing to do with any evaluation set. */
export const uncontaminated: Contamination = { instance: [], repository: [], text: [], patch: [] };

/** Parameters of measuring where nothing is held against anything. */
export const noEvaluation: EvaluationDigests = { lists: {}, indexes: {} };
