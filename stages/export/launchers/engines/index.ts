import type { engineNames } from "../../../../schemas/recipe/training.ts";
import type { Engine } from "./engine.ts";
import { kubernetes } from "./kubernetes.ts";
import { skypilot } from "./skypilot.ts";
import { slurm } from "./slurm.ts";
import { torchrun } from "./torchrun.ts";

export const engines = { torchrun, slurm, skypilot, kubernetes } satisfies Record<(typeof engineNames)[number], Engine>;
