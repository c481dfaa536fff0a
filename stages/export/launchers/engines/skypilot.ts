import { yamlText } from "../../yaml-text.ts";
import { type LaunchPlan, modelFolder } from "../launcher.ts";
import { countParameters, shapeOf } from "../model-shapes.ts";
import type { Engine } from "./engine.ts";

/** Room for the model, three checkpoints of it in bf16 with their optimizer states, and 200 GB for software and data. Our choice. */
function diskGigabytes({ training }: LaunchPlan): number {
  const shape = shapeOf(training.model, training.shape);
  return shape === null ? 1_000 : 200 + Math.ceil((countParameters(shape).all * 2 * 4) / 1e9);
}

/** https://docs.skypilot.co: `sky launch` takes the dataset's folder along and runs on every host. */
export const skypilot: Engine = {
  usage: "sky launch -c cat FILE",
  file(plan, trainer) {
    const { nodes, gpusPerNode, gpu } = plan.training;
    const task = {
      name: `cat-${trainer}`,
      workdir: ".",
      num_nodes: nodes,
      resources: { accelerators: `${gpu}:${gpusPerNode}`, disk_size: diskGigabytes(plan) },
      envs: { HEAD_PORT: "29500" },
      setup: `bash configs/${trainer}/install.sh\n[ -f ${modelFolder}/config.json ] || python3 launch/prepare-model.py\n`,
      run: `export NODES="$SKYPILOT_NUM_NODES" NODE_RANK="$SKYPILOT_NODE_RANK" GPUS_PER_NODE="$SKYPILOT_NUM_GPUS_PER_NODE"\nexport HEAD_HOST="$(echo "$SKYPILOT_NODE_IPS" | head -n1)" RUN_ID="$SKYPILOT_TASK_ID"\nbash configs/${trainer}/run.sh\n`,
    };
    const comment = [
      `From the dataset's folder: sky launch -c cat launch/skypilot/${trainer}.yaml (add --infra aws, gcp, k8s, ... or --use-spot)`,
      "Each host downloads and prepares the model by itself. What was trained lies in ./out on rank 0: sky rsync or a mounted bucket brings it home.",
    ];
    return { path: `launch/skypilot/${trainer}.yaml`, text: yamlText(task, comment) };
  },
};
