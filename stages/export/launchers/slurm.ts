import { mixturesOf } from "../dataset-parts.ts";
import { type LaunchFile, type LaunchPlan, modelFolder } from "./launcher.ts";

/** What a trainer's config is called when none is named. */
function defaultConfig({ parts }: LaunchPlan, trainer: "axolotl" | "trl"): string {
  if (trainer === "trl") return mixturesOf(parts, "messages")[0]?.name === "base" ? "configs/trl/sft-base.yaml" : "configs/trl/sft.yaml";
  const layout = (["input-output", "messages"] as const).find((name) => mixturesOf(parts, name).length > 0) ?? "input-output";
  return `configs/axolotl/${mixturesOf(parts, layout)[0]?.name ?? "cat"}-${layout}.yaml`;
}

/** One batch script for both trainers; ranks are expanded on each host, inside srun. */
export function slurm(plan: LaunchPlan): LaunchFile {
  const { nodes, gpusPerNode } = plan.training;
  const text = `#!/bin/bash
#SBATCH --job-name=cat-sft
#SBATCH --nodes=${nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=${gpusPerNode}
#SBATCH --exclusive
#SBATCH --time=72:00:00
#SBATCH --output=%x-%j.log

# Submit from the dataset's folder, after launch/prepare-model.py. Partition and account go on the command line:
#   sbatch --partition=NAME launch/slurm.sh
#   TRAINER=trl sbatch launch/slurm.sh
#   CONFIG=configs/axolotl/NAME.yaml sbatch launch/slurm.sh
# The configs count on ${nodes} x ${gpusPerNode} GPUs: with others, export again, so that the gradient accumulation fits.

set -euo pipefail
cd "\${SLURM_SUBMIT_DIR:-.}"

export TRAINER="\${TRAINER:-axolotl}"
case "$TRAINER" in
  axolotl) CONFIG="\${CONFIG:-${defaultConfig(plan, "axolotl")}}" ;;
  trl) CONFIG="\${CONFIG:-${defaultConfig(plan, "trl")}}" ;;
  *) echo "expected TRAINER=axolotl or TRAINER=trl, got $TRAINER" >&2; exit 64 ;;
esac
export CONFIG
if [[ ! -f "$CONFIG" ]]; then
  echo "expected $CONFIG in $PWD; submit from the dataset's folder, or name another file in CONFIG" >&2
  exit 66
fi
if [[ ! -f ${modelFolder}/config.json ]]; then
  echo "expected the prepared model in $PWD/${modelFolder.slice(2)}; run: python3 launch/prepare-model.py" >&2
  exit 66
fi

HOSTS="$(scontrol show hostnames "$SLURM_JOB_NODELIST")"
export HEAD_HOST="\${HOSTS%%$'\\n'*}"
export HEAD_PORT="\${HEAD_PORT:-29500}"
export NODES="$SLURM_JOB_NUM_NODES"
export GPUS_PER_NODE=${gpusPerNode}
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export OMP_NUM_THREADS="\${OMP_NUM_THREADS:-8}"

if [[ "$TRAINER" == axolotl ]]; then
  # Tokenize once, without GPUs, instead of on every host at a time.
  srun --nodes=1 --ntasks=1 axolotl preprocess "$CONFIG"
  srun --kill-on-bad-exit=1 bash -c '
    exec torchrun --nnodes "$NODES" --nproc_per_node "$GPUS_PER_NODE" \\
      --rdzv_id "$SLURM_JOB_ID" --rdzv_backend c10d --rdzv_endpoint "$HEAD_HOST:$HEAD_PORT" \\
      -m axolotl.cli.train "$CONFIG"'
else
  srun --kill-on-bad-exit=1 bash -c '
    exec accelerate launch --config_file configs/trl/accelerate.yaml \\
      --num_machines "$NODES" --num_processes "$((NODES * GPUS_PER_NODE))" --machine_rank "$SLURM_PROCID" \\
      --main_process_ip "$HEAD_HOST" --main_process_port "$HEAD_PORT" \\
      -m trl.scripts.sft --config "$CONFIG"'
fi
`;
  return { path: "launch/slurm.sh", text };
}
