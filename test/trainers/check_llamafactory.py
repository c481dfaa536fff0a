"""LLaMA-Factory's own parser and data loading, with the files of the dataset as they are; on CPU.

What is set aside is named in ON_CPU and SHORT: DeepSpeed, FlashAttention and liger are built for GPUs, and so is the offloading of saved inputs.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml
from check_tokens import segment_tokens
from checks import counted, equal
from exported import MIXTURES
from tiny_model import yarn_in_place
from training import LEARNING_RATE, STEPS, losses_fall, model_is_trained, overridden, start

os.environ["DISABLE_VERSION_CHECK"] = "1"
from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams.parser import _parse_train_args  # noqa: E402
from llamafactory.model import load_tokenizer  # noqa: E402

ON_CPU = {
    "use_cpu": True,
    "deepspeed": None,
    "bf16": False,
    "optim": "adamw_torch",
    "flash_attn": "sdpa",
    "enable_liger_kernel": False,
    "preprocessing_num_workers": 1,  # nothing but speed
}
# A few short steps instead of three epochs.
SHORT = {
    "use_unsloth_gc": False,  # waits for a stream of the GPU
    "max_steps": STEPS,
    "learning_rate": LEARNING_RATE,
    "gradient_accumulation_steps": 1,
    "eval_strategy": "no",
    "save_strategy": "no",
}


def configs():
    return sorted(Path("configs/llamafactory").glob("*.yaml"))


def written(config):
    return yaml.safe_load(config.read_text(encoding="utf-8"))


def on_cpu(content):
    """The file's keys, those of ON_CPU changed where the file has them."""
    content = {key: ON_CPU.get(key, value) for key, value in content.items()} | {"use_cpu": True}
    return {key: value for key, value in content.items() if value is not None}


def link_rows():
    """`run.sh` up to the trainer, for which a stand-in says nothing."""
    stand_in = Path("bin/llamafactory-cli")
    stand_in.parent.mkdir(exist_ok=True)
    stand_in.write_text("#!/bin/sh\n")
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{stand_in.parent.resolve()}:{os.environ['PATH']}", "HEAD_HOST": "here"}
    subprocess.run(["bash", "configs/llamafactory/run.sh"], env=environment, check=True)


def parser_knows_every_key():
    """Its parser refuses unknown keys; each value arrives as it is written."""
    values = 0
    for config in configs():
        content = on_cpu(written(config))
        parsed = _parse_train_args(content)
        for key, value in content.items():
            if key in ("dataset", "eval_dataset", "lora_target", "report_to"):
                continue  # become lists
            holders = [one for one in parsed if hasattr(one, key)]
            equal(bool(holders), True, f"{config}: {key} is known")
            found = getattr(holders[0], key)
            if key == "cutoff_len" and content["packing"]:
                found += 1  # taken off on purpose, there and in our files
            equal(type(value)(getattr(found, "value", found)), value, f"{config}: {key}")
            values += 1
    return f"{counted(values, 'values')} in {len(configs())} files"


def behind(ids, labels, end):
    """Labels with the newline behind each trained turn trained, too, as the trainer's own templates do."""
    return [ids[at] if at > 0 and labels[at - 1] == end else label for at, label in enumerate(labels)]


def last_turns(ids, labels, end):
    """A sample's rows of the layout `turns`: it up to the newline behind each trained turn, of which that turn is trained."""
    starts = [at for at, label in enumerate(labels) if label != -100 and labels[at - 1] == -100]
    for start_at in starts:
        stop = ids.index(end, start_at) + 2
        whole = labels[start_at : stop - 1] + [ids[stop - 1]]
        yield tuple(ids[:stop]), tuple([-100] * start_at + whole)


def loads_our_labels(exported, tokenizer):
    """Through its own data path. The newline that follows a trained turn is trained where rows are text; tokenized rows are as ours."""
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    compared = []
    for config in configs():
        model, data, training, _, _ = _parse_train_args(on_cpu(written(config)))
        module = load_tokenizer(model)
        template = get_template_and_fix_tokenizer(module["tokenizer"], data)
        loaded = get_dataset(template, model, data, training, stage="sft", **module)
        made = Counter((tuple(row["input_ids"]), tuple(row["labels"])) for row in loaded["train_dataset"])
        mixture, _, layout = config.stem.rpartition("-")
        parts = [part for part in exported.parts if part.layout == "input-output" and part.split == "train" and part.kind in MIXTURES[mixture]]
        ours = Counter()
        samples = 0
        for part in parts:
            for row in exported.rows(part):
                ids, labels = segment_tokens(tokenizer, row)
                samples += 1
                if layout == "turns":
                    ours.update(last_turns(ids, labels, end))
                else:
                    ours[tuple(ids), tuple(behind(ids, labels, end) if layout == "messages" else labels)] += 1
        equal(made.total(), ours.total(), f"{config}: rows")
        equal(made == ours, True, f"{config}: ids and labels")
        compared.append(f"{config.stem} {samples} in {made.total():,} rows")
    return f"samples: {', '.join(compared)}"


def train(config):
    """`llamafactory-cli train`, as configs/llamafactory/run.sh starts it."""
    file = overridden(config, ON_CPU | SHORT)
    out = start([Path(sys.executable).with_name("llamafactory-cli"), "train", file])
    return losses_fall([float(loss) for loss in re.findall(r"'loss': '?([\d.]+)", out)])


def check_configs(checks, *_):
    checks.run("LLaMA-Factory: its parser knows every key and takes every value", parser_knows_every_key)


def check_data(checks, exported, tokenizer):
    link_rows()
    checks.run("LLaMA-Factory: its data path makes our ids and labels", loads_our_labels, exported, tokenizer)


def check_training(checks, *_):
    link_rows()
    checks.run("LLaMA-Factory: the prepared model", yarn_in_place, "./model")
    for layout in ("tokenized", "turns"):
        checks.run(f"LLaMA-Factory: llamafactory-cli train, layout {layout}", train, f"configs/llamafactory/cat-{layout}.yaml")
        checks.run(f"LLaMA-Factory: the model trained on {layout}", model_is_trained, f"./out/llamafactory-cat-{layout}")


PARTS = {"configs": check_configs, "data": check_data, "training": check_training}
