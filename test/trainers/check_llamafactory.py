"""LLaMA-Factory's own parser and data loading, with the files of the dataset as they are; on CPU.

What is set aside is named in ON_CPU: DeepSpeed, FlashAttention and liger are built for GPUs.
"""

import os
import subprocess
from collections import Counter
from pathlib import Path

import yaml
from check_tokens import segment_tokens
from checks import counted, equal
from exported import MIXTURES
from tiny_model import ready_to_train

os.environ["DISABLE_VERSION_CHECK"] = "1"
from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams.parser import _parse_train_args  # noqa: E402
from llamafactory.model import load_tokenizer  # noqa: E402

ON_CPU = {"deepspeed": None, "bf16": False, "optim": "adamw_torch", "flash_attn": "sdpa", "enable_liger_kernel": False}


def configs():
    return sorted(Path("configs/llamafactory").glob("*.yaml"))


def written(config):
    return yaml.safe_load(config.read_text(encoding="utf-8"))


def on_cpu(content):
    content = {**{key: ON_CPU.get(key, value) for key, value in content.items()}, "use_cpu": True, "preprocessing_num_workers": 1}
    return {key: value for key, value in content.items() if value is not None}


def link_rows():
    """`run.sh` up to the trainer, for which a stand-in says nothing."""
    stand_in = Path("bin/llamafactory-cli")
    stand_in.parent.mkdir()
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
            equal(type(value)(getattr(found, "value", found)), value, f"{config}: {key}")
            values += 1
    return f"{counted(values, 'values')} in {len(configs())} files"


def loads_our_labels(exported, tokenizer):
    """Through its own data path. The newline that follows a trained turn is trained where rows are text; tokenized rows are as ours."""
    link_rows()
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    samples = 0
    for config in configs():
        content = written(config)
        model, data, training, _, _ = _parse_train_args(on_cpu(content))
        module = load_tokenizer(model)
        template = get_template_and_fix_tokenizer(module["tokenizer"], data)
        loaded = get_dataset(template, model, data, training, stage="sft", **module)
        made = Counter((tuple(row["input_ids"]), tuple(row["labels"])) for row in loaded["train_dataset"])
        name, _, layout = config.stem.partition("-")
        kinds = MIXTURES[name]
        parts = [part for part in exported.parts if part.layout == "input-output" and part.split == "train" and part.kind in kinds]
        ours = Counter()
        for part in parts:
            for row in exported.rows(part):
                ids, labels = segment_tokens(tokenizer, row)
                if layout == "messages":
                    labels = [ids[at] if at > 0 and labels[at - 1] == end else label for at, label in enumerate(labels)]
                ours[tuple(ids), tuple(labels)] += 1
        if layout == "turns":
            trained = sum(label != -100 for _, labels in made for label in labels)
            equal(trained > 0, True, f"{config}: trained tokens")
            samples += made.total()
            continue
        equal(made.total(), ours.total(), f"{config}: samples")
        equal(made == ours, True, f"{config}: ids and labels")
        samples += made.total()
    return counted(samples, "samples")


def run(checks, exported, tokenizer):
    with ready_to_train(exported, tokenizer):
        checks.run("LLaMA-Factory: its parser knows every key and takes every value", parser_knows_every_key)
        checks.run("LLaMA-Factory: its data path makes our ids and labels", loads_our_labels, exported, tokenizer)
