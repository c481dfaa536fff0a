"""Runs what a dataset's card tells people to copy, and reads its Croissant metadata with the format's own library.

  python check_card.py FOLDER
"""

import logging
import re
import subprocess
import sys
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
    dataset = mlcroissant.Dataset(str(folder / "croissant.json"))
    checks.run("Croissant metadata is valid and whole", metadata_is_valid, dataset, folder)
    checks.run("mlcroissant reads every row", rows_are_read, dataset, folder)
    print(f"  {checks.held} checks hold, {checks.broken} are broken")
    sys.exit(1 if checks.broken else 0)


if __name__ == "__main__":
    main()
