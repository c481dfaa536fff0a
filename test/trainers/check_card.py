"""Runs what a dataset's card tells people to copy, and reads its Croissant metadata with the format's own library.

  python check_card.py FOLDER

Commands run up to where a trainer would take its GPUs: test/fakes/trainers stands for pip, the hub and the trainers, all else is what it is.
"""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mlcroissant
import pyarrow.parquet as pq
from checks import Checks, counted, equal

logging.getLogger("absl").setLevel(logging.ERROR)
# What only people know; the recipe's `export.about` says it where it is known. A version is a revision tag on the hub.
OPTIONAL = ("datePublished", "version", "creator", "url")


def _blocks(card, language):
    return re.findall(rf"```{language}\n(.*?)```", card, re.DOTALL)


def python_runs(folder, card):
    code = _blocks(card, "python")
    for block in code:
        done = subprocess.run([sys.executable, "-c", block.replace("PATH_OR_REPO", str(folder))], capture_output=True, text=True, check=False)
        equal((done.returncode, done.stderr[-300:] if done.returncode else ""), (0, ""), "a Python block of the card")
    return counted(len(code), "Python blocks ran")


def commands_are_there(folder, card):
    code = _blocks(card, "bash")
    for block in code:
        done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True, check=False)
        equal((done.returncode, done.stderr), (0, ""), "a bash block of the card")
    paths = sorted({path for block in code for path in re.findall(r"\b(?:launch|configs)/[\w./-]+", block)})
    equal([path for path in paths if not (folder / path).exists()], [], "files that the card's commands name and that are missing")
    return counted(len(paths), "files that commands name")


HERE = Path(__file__).resolve().parent
FAKES = HERE.parent / "fakes/trainers"
STARTERS = {
    "trl": "accelerate",
    "axolotl": "torchrun",
    "automodel": "torchrun",
    "ms-swift": "swift",
    "llamafactory": "llamafactory-cli",
}


def _fakes(work):
    """Programs on PATH, and what all commands run with."""
    programs = work / "bin"
    programs.mkdir()
    for name in ("python3", "axolotl", *STARTERS.values()):
        if not (programs / name).exists():
            (programs / name).write_text(f"#!{sys.executable}\n{(FAKES / 'fake_trainer.py').read_text()}")
            (programs / name).chmod(0o755)
    cli = HERE.parent.parent
    (programs / "catgen").write_text(f'#!/bin/bash\nexec "{cli}/node_modules/.bin/tsx" "{cli}/pipeline/cli.ts" "$@"\n')
    (programs / "catgen").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(FAKES),
        "FAKE_TRAINER_LOG": str(work / "log"),
        "CATGEN_RUNS": str(work / "runs"),
    }


def _run(block, place, env):
    done = subprocess.run(["bash", "-e"], input=block, cwd=place, env=env, capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr[-600:] if done.returncode else ""), (0, ""), f"commands of the card: {block}")


def training_starts(folder, card):
    """The card's commands as they stand, and again for every trainer that they name beside the first."""
    (block,) = [block for block in _blocks(card, "bash") if "configs/" in block]
    first = re.search(r"configs/([\w-]+)/run\.sh", block)[1]
    named = re.search(r"# or ([\w, -]+)", block)
    trainers = [first, *(named[1].split(", ") if named else [])]
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        env = _fakes(work)
        place = work / "dataset"
        shutil.copytree(folder, place)
        for trainer in trainers:
            _run(block.replace(f"configs/{first}/", f"configs/{trainer}/"), place, env)
        notes = [json.loads(line) for line in (work / "log").read_text().splitlines()]
        model = json.loads((place / "model/config.json").read_text())
    equal(model["max_position_embeddings"] > 32768, "stretched" in block, "positions of the model that was prepared")
    started = [note for note in notes if note["program"] != "pip"]
    for trainer in trainers:
        own = [note for note in started if note["config"].startswith(f"configs/{trainer}/")]
        equal(STARTERS[trainer] in {note["program"] for note in own}, True, f"{trainer} was started by {STARTERS[trainer]}")
        equal([note for note in own if note["keys"] == 0], [], f"empty configs of {trainer}")
    equal(sum(note["paths"] for note in started) >= 2 * len(trainers), True, "paths that configs name")
    installed = {argument for note in notes if note["program"] == "pip" for argument in note["arguments"][1:]}
    return f"{counted(len(trainers), 'trainers')} were started with {len(started)} configs, {len(installed)} packages asked for"


def judging_runs(folder, card):
    blocks = [block for block in _blocks(card, "bash") if "hf://ORG/NAME" in block]
    with tempfile.TemporaryDirectory() as temporary:
        env = _fakes(Path(temporary))
        for block in blocks:
            _run(block.replace("hf://ORG/NAME", str(folder)), temporary, env)
    return counted(len(blocks), "blocks ran")


def metadata_is_valid(dataset, folder):
    issues = dataset.metadata.ctx.issues
    left = [text for text in issues.warnings if not any(f'/{name}"' in text for name in OPTIONAL)]
    equal((list(issues.errors), left), ([], []), "errors and warnings of the Croissant metadata")
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("*/*/*.parquet"))
    equal(sorted(resource.id for resource in dataset.metadata.distribution), files, "files that the Croissant metadata names")
    return counted(len(files), "files")


def rows_are_read(dataset, folder):
    total = 0
    for records in dataset.metadata.record_sets:
        rows = sum(1 for _ in dataset.records(record_set=records.id))
        equal(rows, pq.ParquetFile(folder / f"{records.id}.parquet").metadata.num_rows, f"rows of {records.id}")
        total += rows
    return counted(total, "rows")


def main():
    folder = Path(sys.argv[1]).resolve()
    card = (folder / "README.md").read_text()
    checks = Checks()
    checks.run("Python of the card runs as it stands", python_runs, folder, card)
    checks.run("commands of the card name what is there", commands_are_there, folder, card)
    checks.run("commands of the card start every trainer that it names", training_starts, folder, card)
    if (folder / "audit").exists():
        checks.run("commands of the card judge it anew", judging_runs, folder, card)
    dataset = mlcroissant.Dataset(str(folder / "croissant.json"))
    checks.run("Croissant metadata is valid and whole", metadata_is_valid, dataset, folder)
    checks.run("mlcroissant reads every row", rows_are_read, dataset, folder)
    print(f"  {checks.held} checks hold, {checks.broken} are broken")
    sys.exit(1 if checks.broken else 0)


if __name__ == "__main__":
    main()
