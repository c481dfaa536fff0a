"""Checks one exported dataset.

  python verify.py dataset FOLDER --tokenizer FOLDER --digests FILE        by datasets, pyarrow, DuckDB and transformers
  python verify.py TRAINER FOLDER --tokenizer FOLDER [--parts PART...]     by that trainer's own code

Parts: `configs` its parser reads them, `data` it makes our ids and labels, `training` 20 steps of its entry point.

`--tokenizer` has tokenizer.json and tokenizer_config.json of Qwen2.5, `--digests` is what row-digests.ts printed.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from checks import Checks
from exported import Exported
from transformers import AutoTokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["dataset", "trl", "axolotl", "ms-swift", "llamafactory", "automodel"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--digests", type=Path)
    parser.add_argument("--parts", nargs="+", choices=["configs", "data", "training"], default=["configs", "data"])
    arguments = parser.parse_args()

    checks = Checks()
    exported = Exported(arguments.folder)
    tokenizer = AutoTokenizer.from_pretrained(arguments.tokenizer, local_files_only=True)
    if arguments.what == "dataset":
        digests = [json.loads(line) for line in arguments.digests.read_text().splitlines()]
        importlib.import_module("check_files").run(checks, exported, digests)
        importlib.import_module("check_turns").run(checks, exported)
        importlib.import_module("check_tokens").run(checks, exported, tokenizer)
    else:
        trainer = importlib.import_module(f"check_{arguments.what.replace('-', '_')}")
        with importlib.import_module("tiny_model").ready_to_train(exported, tokenizer):
            for part in arguments.parts:
                trainer.PARTS[part](checks, exported, tokenizer)
    print(f"  {checks.held} checks hold, {checks.broken} are broken")
    sys.exit(1 if checks.broken else 0)


if __name__ == "__main__":
    main()
