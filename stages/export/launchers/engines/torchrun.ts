import type { Engine } from "./engine.ts";

/** By hand or from any scheduler of one's own: one command per host. */
export const torchrun: Engine = {
  usage: "bash FILE RANK HEAD_HOST, on each host",
  file({ training: { nodes, gpusPerNode } }, trainer) {
    const text = `#!/bin/bash
# Starts ${trainer} on one of ${nodes} host${nodes === 1 ? "" : "s"} with ${gpusPerNode} GPUs each. On each of them, from the dataset's folder:
#
#   bash launch/torchrun/${trainer}.sh RANK HEAD_HOST     rank 0 is HEAD_HOST itself, the others count up
#
# Port 29500 of HEAD_HOST (or HEAD_PORT) must be in reach of all.
set -euo pipefail
${
  nodes === 1
    ? `RANK="\${1:-0}" HEAD="\${2:-127.0.0.1}"`
    : `if (($# != 2)); then
  echo "expected the rank of this host (0 to ${nodes - 1}) and the name of the host of rank 0; got $# arguments" >&2
  exit 64
fi
RANK="$1" HEAD="$2"`
}
cd "$(dirname "\${BASH_SOURCE[0]}")/../.."
NODE_RANK="$RANK" HEAD_HOST="$HEAD" exec bash configs/${trainer}/run.sh
`;
    return { path: `launch/torchrun/${trainer}.sh`, text };
  },
};
