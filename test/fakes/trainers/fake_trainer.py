"""Stands for the programs that training commands start, by the name it is called by, and adds a line of JSON to $FAKE_TRAINER_LOG.

`python3` is Python itself but for `-m pip`, which installs nothing. A trainer parses the config among its arguments and ends with 1 where
a path in it, or one that LLaMA-Factory's register names, is not there: so far a training comes without a GPU.
"""

import json
import os
import sys
from pathlib import Path

import yaml

STARTERS = ("accelerate", "torchrun", "axolotl", "swift", "llamafactory-cli")
# Made by the training itself, or, for axolotl, on the way.
OUTPUT_KEYS = {"output_dir", "dataset_prepared_path", "checkpoint_dir"}


def _note(**said):
    with Path(os.environ["FAKE_TRAINER_LOG"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(said) + "\n")


def _paths(value, key=""):
    """Every text of the config that names a file or a folder."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _paths(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _paths(one, key)
    elif isinstance(value, str) and key not in OUTPUT_KEYS and (value.startswith("./") or value.endswith(".parquet")):
        yield value


def _register(config):
    """Folders of the datasets that LLaMA-Factory finds by name."""
    if "dataset_dir" not in config or "tokenized_path" in config:
        return
    folder = Path(config["dataset_dir"])
    known = json.loads((folder / "dataset_info.json").read_text(encoding="utf-8"))
    for name in (config["dataset"], config.get("eval_dataset", config["dataset"])):
        yield str(folder / known[name]["file_name"])


def _train(name, arguments):
    configs = [one for one in arguments if one.startswith("configs/") and one.endswith((".yaml", ".yml"))]
    if not configs:
        sys.exit(f"{name}: no config among {arguments}")
    for path in configs:
        config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        paths = [*_paths(config), *_register(config)]
        missing = [one for one in paths if not Path(one).exists()]
        _note(program=name, arguments=arguments, config=path, keys=len(config), paths=len(paths))
        if missing:
            sys.exit(f"{name}: {path} names {missing}, which are not there")


def main():
    name, arguments = Path(sys.argv[0]).name, sys.argv[1:]
    if name == "python3" and arguments[:2] == ["-m", "pip"]:
        _note(program="pip", arguments=arguments[2:])
    elif name == "python3":
        os.execv(sys.executable, [sys.executable, *arguments])
    elif name in STARTERS:
        _train(name, arguments)
    else:
        sys.exit(f"{name} is none of {STARTERS}")


if __name__ == "__main__":
    main()
