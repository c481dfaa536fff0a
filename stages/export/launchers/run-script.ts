import {
  type ConfigFile,
  gpusOf,
  type Launcher,
  type LauncherName,
  type LaunchFile,
  type LaunchPlan,
  modelFolder,
  type TrainerRun,
} from "./launcher.ts";
import { linkFunction, linkingLines } from "./linked-rows.ts";

/** Trainers that read rows through folders of links. */
const linking: ReadonlySet<LauncherName> = new Set(["automodel", "llamafactory"]);

function links(plan: LaunchPlan, name: LauncherName, configs: readonly ConfigFile[]): string {
  const lines = linking.has(name)
    ? linkingLines(
        plan,
        configs.map(({ data }) => data),
        name,
      )
    : [];
  return lines.length === 0 ? "" : `\n${linkFunction}\n${lines.join("\n")}\n`;
}

/** `configs/<trainer>/run.sh`: begins a training on one host. Engines say where that host stands among the others, and call it. */
export function runScript(
  plan: LaunchPlan,
  name: LauncherName,
  launcher: Launcher,
  run: TrainerRun,
  configs: readonly ConfigFile[],
): LaunchFile {
  const { nodes, gpusPerNode } = plan.training;
  const text = `#!/bin/bash
# Trains with ${launcher.title} on ${nodes} x ${gpusPerNode} GPUs. From the dataset's folder, on each host:
#
#   bash configs/${name}/run.sh                                  one host
#   NODE_RANK=0 HEAD_HOST=host-a bash configs/${name}/run.sh     several: rank 0, 1, ... and the name of the host of rank 0
#   CONFIG=configs/${name}/NAME.yaml bash configs/${name}/run.sh   another config than ${configs[0]?.path ?? ""}
#
# Wanted beforehand: python3 launch/prepare-model.py, and: bash configs/${name}/install.sh
# The configs count on ${gpusOf(plan.training)} GPUs: with others, export again, so that the gradient accumulation fits.
set -euo pipefail
cd "$(dirname "\${BASH_SOURCE[0]}")/../.."

CONFIG="\${CONFIG:-${configs[0]?.path ?? ""}}"
NODES="\${NODES:-${nodes}}"
NODE_RANK="\${NODE_RANK:-0}"
GPUS_PER_NODE="\${GPUS_PER_NODE:-${gpusPerNode}}"
HEAD_HOST="\${HEAD_HOST:-}"
HEAD_PORT="\${HEAD_PORT:-29500}"

if [[ ! -f "$CONFIG" ]]; then
  echo "expected $CONFIG in $PWD; name one of configs/${name}/*.yaml in CONFIG" >&2
  exit 66
fi
if [[ ! -f ${modelFolder}/config.json ]]; then
  echo "expected the prepared model in $PWD/${modelFolder.slice(2)}; run: python3 launch/prepare-model.py" >&2
  exit 66
fi
if ((NODES * GPUS_PER_NODE != ${gpusOf(plan.training)})); then
  echo "expected ${gpusOf(plan.training)} GPUs, got $NODES x $GPUS_PER_NODE; export again with export.training.nodes and gpusPerNode set to these" >&2
  exit 64
fi
if ((NODES > 1)) && [[ -z "$HEAD_HOST" ]]; then
  echo "expected HEAD_HOST, the name of the host of rank 0, for $NODES hosts" >&2
  exit 64
fi
HEAD_HOST="\${HEAD_HOST:-127.0.0.1}"

export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export OMP_NUM_THREADS="\${OMP_NUM_THREADS:-8}"
# Where the hosts meet: within an hour, since the first may prepare data before.
# shellcheck disable=SC2034
RENDEZVOUS=(--nnodes "$NODES" --nproc_per_node "$GPUS_PER_NODE" --node_rank "$NODE_RANK" --rdzv_backend c10d
  --rdzv_endpoint "$HEAD_HOST:$HEAD_PORT" --rdzv_id "\${RUN_ID:-cat-sft}" --rdzv_conf join_timeout=3600)
${links(plan, name, configs)}
${launcher.start(run)}
`;
  return { path: `configs/${name}/run.sh`, text };
}

/** `configs/<trainer>/install.sh`: into the Python environment that is on. */
export const installScript = (name: LauncherName, launcher: Launcher): LaunchFile => ({
  path: `configs/${name}/install.sh`,
  text: `#!/bin/bash
# Installs ${launcher.title} into the Python environment that is on: the versions that the configs were checked with.
set -euo pipefail
${launcher.packages.map((one) => `python3 -m pip install ${one.includes(" ") ? one : `"${one}"`}`).join("\n")}
python3 -m pip install huggingface_hub
`,
});
