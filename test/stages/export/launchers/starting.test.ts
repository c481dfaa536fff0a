import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { launchFiles } from "../../../../stages/export/launchers/index.ts";
import { allLayouts, parts, planWith } from "./plan.ts";

/** The dataset's folder with stand-ins for Slurm and the trainers, which say how they were called. */
const folder = mkdtempSync(join(tmpdir(), "catgen-launch-"));
const plan = planWith({ parts: parts(["train", "validation"], undefined, allLayouts) });
const put = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode });
};

beforeAll(() => {
  for (const { path, text } of launchFiles(plan)) put(path, text);
  for (const path of plan.parts.flatMap(({ files }) => Object.values(files).flat())) put(path, "");
  const stub = (name: string, text: string) => put(`bin/${name}`, `#!/bin/bash\n${text}\n`, 0o755);
  stub("scontrol", "printf 'host-a\\nhost-b\\n'");
  stub("srun", 'while [[ "$1" == --* ]]; do shift; done; SLURM_NODEID=1 exec "$@"');
  const said = '"$@" "| $NPROC_PER_NODE $NNODES $NODE_RANK $MASTER_ADDR $MASTER_PORT"';
  for (const name of ["axolotl", "torchrun", "accelerate"]) stub(name, `echo ${name} "$@"`);
  for (const name of ["swift", "llamafactory-cli"]) stub(name, `echo ${name} ${said}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const bash = (command: string, environment: Record<string, string> = {}) =>
  spawnSync("bash", ["-c", command], {
    cwd: folder,
    env: { HOME: folder, PATH: `${join(folder, "bin")}:${process.env["PATH"]}`, ...environment },
    encoding: "utf8",
  });
const slurm = { SLURM_JOB_ID: "7", SLURM_JOB_NODELIST: "host-[a-b]", SLURM_JOB_NUM_NODES: "2" };

test("nothing starts without the prepared model, and the message says how to make it", () => {
  expect(bash("bash configs/trl/run.sh", { HEAD_HOST: "h" })).toMatchObject({
    status: 66,
    stderr: expect.stringContaining("run: python3 launch/prepare-model.py") as string,
  });
});

describe("with the prepared model", () => {
  beforeAll(() => put("model/config.json", "{}"));
  const rendezvous = (rank: number) =>
    `--nnodes 2 --nproc_per_node 8 --node_rank ${rank} --rdzv_backend c10d --rdzv_endpoint host-a:29500 --rdzv_id 7 --rdzv_conf join_timeout=3600`;

  test.each([
    ["axolotl", `torchrun ${rendezvous(1)} -m axolotl.cli.train configs/axolotl/cat-input-output.yaml`],
    [
      "trl",
      "accelerate launch --config_file configs/trl/accelerate.yaml --num_machines 2 --num_processes 16 --machine_rank 1 --main_process_ip host-a --main_process_port 29500 -m trl.scripts.sft --config configs/trl/sft.yaml",
    ],
    ["ms-swift", "swift sft configs/ms-swift/cat.yaml | 8 2 1 host-a 29500"],
    ["llamafactory", "llamafactory-cli train configs/llamafactory/cat-tokenized.yaml | 8 2 1 host-a 29500"],
    ["automodel", `torchrun ${rendezvous(1)} -m nemo_automodel.cli.app configs/automodel/cat.yaml`],
  ])("Slurm starts %s on every host with the first one as the meeting point", (trainer, expected) => {
    const { status, stdout, stderr } = bash(`bash launch/slurm/${trainer}.sh`, slurm);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`${expected}\n`);
  });

  test("the host of rank 0 tokenizes for axolotl before it trains", () => {
    const { stdout } = bash("bash launch/torchrun/axolotl.sh 0 host-a");
    expect(stdout.split("\n")[0]).toBe("axolotl preprocess configs/axolotl/cat-input-output.yaml");
  });

  test("rows of several kinds are linked into one folder per split, once more without harm", () => {
    for (const _ of [1, 2]) expect(bash("bash launch/torchrun/automodel.sh 0 host-a").status).toBe(0);
    const linked = join(folder, "prepared/automodel-cat-messages/train");
    expect(readdirSync(linked).sort()).toEqual(["train-condense-00000-of-00001.parquet", "train-segment-00000-of-00001.parquet"]);
    expect(existsSync(readlinkSync(join(linked, "train-segment-00000-of-00001.parquet")))).toBe(true);
    expect(readdirSync(join(folder, "prepared/automodel-cat-messages"))).toEqual(["train", "validation"]);
  });

  test("links of an earlier, larger dataset do not stay", () => {
    symlinkSync(join(folder, "gone.parquet"), join(folder, "prepared/automodel-cat-messages/train/train-segment-00001-of-00002.parquet"));
    expect(bash("bash launch/torchrun/automodel.sh 0 host-a").status).toBe(0);
    expect(readdirSync(join(folder, "prepared/automodel-cat-messages/train"))).toHaveLength(2);
  });

  test("SkyPilot's variables place each host", () => {
    const { run } = parse(launchFiles(plan).find(({ path }) => path === "launch/skypilot/trl.yaml")?.text ?? "") as { run: string };
    const sky = {
      SKYPILOT_NUM_NODES: "2",
      SKYPILOT_NODE_RANK: "1",
      SKYPILOT_NUM_GPUS_PER_NODE: "8",
      SKYPILOT_NODE_IPS: "10.0.0.1\n10.0.0.2",
      SKYPILOT_TASK_ID: "t",
    };
    expect(bash(run, sky).stdout).toContain("--machine_rank 1 --main_process_ip 10.0.0.1 ");
  });

  test("Kubeflow's variables place each pod, and torchrun does not see them", () => {
    const [runtime, job] = parseAllDocuments(
      launchFiles(plan).find(({ path }) => path === "launch/kubernetes/ms-swift.yaml")?.text ?? "",
    ).map((document) => document.toJS() as { kind: string; spec: { trainer: { args: [string] } } });
    expect([runtime?.kind, job?.kind]).toEqual(["TrainingRuntime", "TrainJob"]);
    const script = job?.spec.trainer.args[0].replace("cd /data", "").replace(/^bash configs.*install.sh$/m, "") ?? "";
    const pod = { PET_NNODES: "2", PET_NODE_RANK: "1", PET_NPROC_PER_NODE: "8", PET_MASTER_ADDR: "cat-0", PET_MASTER_PORT: "29400" };
    expect(bash(script, pod).stdout).toBe("swift sft configs/ms-swift/cat.yaml | 8 2 1 cat-0 29400\n");
  });

  test.each([
    ["CONFIG=no.yaml bash configs/trl/run.sh", 66, "expected no.yaml"],
    ["bash configs/trl/run.sh", 64, "expected HEAD_HOST"],
    ["NODES=3 HEAD_HOST=a bash configs/trl/run.sh", 64, "expected 16 GPUs, got 3 x 8"],
    ["bash launch/torchrun/trl.sh", 64, "expected the rank of this host (0 to 1)"],
  ])("%s ends with %i before it takes any GPU", (command, status, message) => {
    expect(bash(command)).toMatchObject({ status, stderr: expect.stringContaining(message) as string });
  });
});
