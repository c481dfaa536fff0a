import { yamlText } from "../../yaml-text.ts";
import { modelFolder } from "../launcher.ts";
import type { Engine } from "./engine.ts";

const claim = "cat-dataset";
const mount = "/data";

/**
 * Kubeflow Trainer v2: a TrainingRuntime that says where data and shared memory are, and a TrainJob on it. Volumes are in the runtime,
 * because the field by which a job patches pods has changed its name between releases (trainers.md 5). The runtime sets PET_* for every pod.
 */
export const kubernetes: Engine = {
  usage: "kubectl create -f FILE",
  file({ training: { nodes, gpusPerNode, image } }, trainer) {
    const name = `cat-${trainer}`;
    const runtime = {
      apiVersion: "trainer.kubeflow.org/v1alpha1",
      kind: "TrainingRuntime",
      metadata: { name, labels: { "trainer.kubeflow.org/framework": "torch" } },
      spec: {
        mlPolicy: { numNodes: nodes, torch: {} }, // processes per host follow from its GPUs: kubeflow/trainer#3239
        template: {
          spec: {
            replicatedJobs: [
              {
                name: "node",
                template: {
                  metadata: { labels: { "trainer.kubeflow.org/trainjob-ancestor-step": "trainer" } },
                  spec: {
                    template: {
                      spec: {
                        containers: [
                          {
                            name: "node",
                            image,
                            volumeMounts: [
                              { name: "data", mountPath: mount },
                              { name: "shared-memory", mountPath: "/dev/shm" },
                            ],
                          },
                        ],
                        volumes: [
                          { name: "data", persistentVolumeClaim: { claimName: claim } },
                          { name: "shared-memory", emptyDir: { medium: "Memory" } },
                        ],
                      },
                    },
                  },
                },
              },
            ],
          },
        },
      },
    };
    const script = [
      "set -e",
      `cd ${mount}`,
      `bash configs/${trainer}/install.sh`,
      `[ -f ${modelFolder}/config.json ] || { echo "expected the prepared model in ${mount}/${modelFolder.slice(2)}; run there: python3 launch/prepare-model.py" >&2; exit 66; }`,
      'export NODES="$PET_NNODES" NODE_RANK="$PET_NODE_RANK" HEAD_HOST="$PET_MASTER_ADDR" HEAD_PORT="$PET_MASTER_PORT"',
      `GPUS_PER_NODE=${gpusPerNode}`,
      "export GPUS_PER_NODE",
      "unset PET_NNODES PET_NPROC_PER_NODE PET_NODE_RANK PET_MASTER_ADDR PET_MASTER_PORT # torchrun would take them for its own options",
      `exec bash configs/${trainer}/run.sh`,
      "",
    ].join("\n");
    const job = {
      apiVersion: "trainer.kubeflow.org/v1alpha1",
      kind: "TrainJob",
      metadata: { generateName: `${name}-` },
      spec: {
        runtimeRef: { apiGroup: "trainer.kubeflow.org", kind: "TrainingRuntime", name },
        trainer: {
          image,
          numNodes: nodes,
          numProcPerNode: gpusPerNode,
          resourcesPerNode: { limits: { "nvidia.com/gpu": gpusPerNode } },
          command: ["bash", "-c"],
          args: [script],
        },
      },
    };
    const comment = [
      `Kubeflow Trainer 2: kubectl create -f launch/kubernetes/${trainer}.yaml (apply does not know generateName)`,
      `Wanted beforehand: a PersistentVolumeClaim ${claim} that all pods may write (ReadWriteMany), with this dataset's folder as its content and`,
      "the model that launch/prepare-model.py made. A runtime of an earlier export is replaced by: kubectl replace -f",
    ];
    return { path: `launch/kubernetes/${trainer}.yaml`, text: `${yamlText(runtime, comment)}---\n${yamlText(job)}` };
  },
};
