"""What starts a training: SkyPilot's own parser and Kubeflow Trainer's own models over every launch file, bash over every script.

  python check_engines.py FOLDER

Slurm's reader belongs to a cluster; its scripts are read by bash, their `#SBATCH` lines held against the manual's options.
"""

import re
import subprocess
import sys
from pathlib import Path

import yaml
from checks import Checks, counted, equal

# man sbatch, Slurm 24.05: those that our scripts may use.
SBATCH = {"job-name", "nodes", "ntasks-per-node", "gpus-per-node", "exclusive", "time", "output"}
KUBERNETES_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def _refuses(parse, document, what):
    """A parser that takes a key nobody knows proves nothing by taking ours."""
    try:
        parse(document)
    except Exception:
        return
    raise AssertionError(f"{what} takes a key that nobody knows")


def skypilot_takes(folder):
    import sky

    files = sorted((folder / "launch/skypilot").glob("*.yaml"))
    for file in files:
        text = yaml.safe_load(file.read_text())
        task = sky.Task.from_yaml(str(file))
        (resources,) = task.resources
        name, count = text["resources"]["accelerators"].split(":")
        equal(resources.accelerators, {name: int(count)}, f"GPUs of {file.name}")
        equal((task.name, task.num_nodes, resources.disk_size), (text["name"], text["num_nodes"], text["resources"]["disk_size"]), file.name)
        equal((task.setup, task.run), (text["setup"], text["run"]), f"scripts of {file.name}")
        equal(dict(task.envs), text["envs"], f"variables of {file.name}")
    _refuses(sky.Task.from_yaml_config, {**text, "num_node": 2}, "SkyPilot")
    _refuses(sky.Task.from_yaml_config, {**text, "resources": {"accelerator": "H100:8"}}, "SkyPilot")
    return counted(len(files), "files")


def _without_none(value):
    if isinstance(value, dict):
        return {key: _without_none(one) for key, one in value.items() if one is not None}
    return [_without_none(one) for one in value] if isinstance(value, list) else value


def kubernetes_takes(folder):
    """The models ignore what they do not know, so all of a document has to come back out of them."""
    from kubeflow_trainer_api import models

    kinds = {"TrainingRuntime": models.TrainerV1alpha1TrainingRuntime, "TrainJob": models.TrainerV1alpha1TrainJob}

    def read(document):
        equal(_without_none(kinds[document["kind"]].from_dict(document).to_dict()), document, document["kind"])

    files = sorted((folder / "launch/kubernetes").glob("*.yaml"))
    for file in files:
        runtime, job = list(yaml.safe_load_all(file.read_text()))
        equal([runtime["kind"], job["kind"]], ["TrainingRuntime", "TrainJob"], f"kinds in {file.name}")
        for document in (runtime, job):
            equal(document["apiVersion"], "trainer.kubeflow.org/v1alpha1", f"version in {file.name}")
            read(document)
        equal(job["spec"]["runtimeRef"]["name"], runtime["metadata"]["name"], f"runtime that {file.name} refers to")
        for name in (runtime["metadata"]["name"], job["metadata"]["generateName"] + "x"):
            equal(KUBERNETES_NAME.fullmatch(name) is not None, True, f"name {name}")
    _refuses(read, {**job, "spec": {**job["spec"], "runtimeReference": {}}}, "the model of TrainJob")
    return counted(len(files), "files")


def bash_reads(folder):
    """Every script, and those inside the files of SkyPilot and Kubernetes."""
    scripts = {str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*.sh"))}
    for file in sorted((folder / "launch/skypilot").glob("*.yaml")):
        task = yaml.safe_load(file.read_text())
        scripts |= {f"{file.name} {part}": task[part] for part in ("setup", "run")}
    for file in sorted((folder / "launch/kubernetes").glob("*.yaml")):
        _, job = list(yaml.safe_load_all(file.read_text()))
        scripts[f"{file.name} args"] = job["spec"]["trainer"]["args"][0]
    for name, text in scripts.items():
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        equal((done.returncode, done.stderr), (0, ""), name)
    return counted(len(scripts), "scripts")


def slurm_knows(folder):
    options = 0
    for file in sorted((folder / "launch/slurm").glob("*.sh")):
        head, *rest = file.read_text().split("\n")
        equal(head, "#!/bin/bash", f"first line of {file.name}")
        lines = [line for line in rest if line.startswith("#SBATCH")]
        equal(rest[: len(lines)], lines, f"{file.name}: sbatch stops at the first line that is no comment")
        named = [re.fullmatch(r"#SBATCH --([a-z-]+)(?:=\S+)?", line) for line in lines]
        equal([line for line, found in zip(lines, named) if found is None or found[1] not in SBATCH], [], f"options of {file.name}")
        options += len(lines)
    return counted(options, "options")


def main():
    folder = Path(sys.argv[1])
    checks = Checks()
    checks.run("SkyPilot's parser takes every task and refuses a key it does not know", skypilot_takes, folder)
    checks.run("Kubeflow Trainer's models hold every runtime and job, nothing left over", kubernetes_takes, folder)
    checks.run("bash reads every script", bash_reads, folder)
    checks.run("sbatch knows every option of the batch scripts", slurm_knows, folder)
    print(f"  {checks.held} checks hold, {checks.broken} are broken")
    sys.exit(1 if checks.broken else 0)


if __name__ == "__main__":
    main()
