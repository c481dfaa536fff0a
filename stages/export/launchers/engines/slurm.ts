import type { Engine } from "./engine.ts";

/** A batch script; ranks are expanded on each host, inside srun. */
export const slurm: Engine = {
  usage: "sbatch --partition=NAME FILE",
  file({ training: { nodes, gpusPerNode } }, trainer) {
    const text = `#!/bin/bash
#SBATCH --job-name=cat-${trainer}
#SBATCH --nodes=${nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=${gpusPerNode}
#SBATCH --exclusive
#SBATCH --time=72:00:00
#SBATCH --output=%x-%j.log

# Submit from the dataset's folder, which all hosts share, with the trainer's Python environment on (configs/${trainer}/install.sh) and after
# launch/prepare-model.py. Partition and account go on the command line: sbatch --partition=NAME launch/slurm/${trainer}.sh
set -euo pipefail
cd "\${SLURM_SUBMIT_DIR:-.}"
if [[ ! -f configs/${trainer}/run.sh ]]; then
  echo "expected configs/${trainer}/run.sh in $PWD; submit from the dataset's folder" >&2
  exit 66
fi

HOSTS="$(scontrol show hostnames "$SLURM_JOB_NODELIST")"
export HEAD_HOST="\${HOSTS%%$'\\n'*}"
export HEAD_PORT="\${HEAD_PORT:-29500}"
export NODES="$SLURM_JOB_NUM_NODES"
export RUN_ID="$SLURM_JOB_ID"
srun --kill-on-bad-exit=1 bash -c 'NODE_RANK="$SLURM_NODEID" exec bash configs/${trainer}/run.sh'
`;
    return { path: `launch/slurm/${trainer}.sh`, text };
  },
};
