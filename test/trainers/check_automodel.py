"""NeMo Automodel's own reading of its configs, its dataset and its recipe, with the files of the dataset as they are; on CPU.

A recipe is a tree of `_target_`s that are called with the keys beside them, so every key is held against the signature of what it is for.
What is set aside for the training is named in ON_CPU and SHORT; automodel_on_cpu.py stands in for the CUDA calls that the recipe makes everywhere.
"""

import dataclasses
import inspect
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml
from check_tokens import segment_tokens
from checks import counted, equal
from exported import MIXTURES
from nemo_automodel.components.checkpoint.config import CheckpointingConfig
from nemo_automodel.components.config.loader import load_yaml_config
from nemo_automodel.components.distributed.config import FSDP2Config
from nemo_automodel.components.optim.optimizer import LRSchedulerConfig
from nemo_automodel.components.training.step_scheduler import StepScheduler
from nemo_automodel.recipes._typed_config import RecipeConfig
from tiny_model import yarn_in_place
from training import LEARNING_RATE, STEPS, losses_fall, model_is_trained, overridden, start

# NCCL, FlashAttention, the fused loss, the fused optimizer, context parallelism and computing in bf16 want GPUs.
ON_CPU = {
    "dist_env": {"backend": "gloo"},
    "model": {"attn_implementation": "sdpa", "output_hidden_states": None},
    "loss_fn": {"_target_": "nemo_automodel.components.loss.masked_ce.MaskedCrossEntropy"},
    "distributed": {
        "cp_size": 1,
        "activation_checkpointing": False,
        "mp_policy": {"_target_": "torch.distributed.fsdp.MixedPrecisionPolicy", "param_dtype": "float32", "reduce_dtype": "float32"},
    },
    "optimizer": {"fused": False},
}
# A few short steps instead of three epochs; warm-up is a number there.
SHORT = {
    "step_scheduler": {"global_batch_size": 1, "max_steps": STEPS},
    "optimizer": {"lr": LEARNING_RATE},
    "lr_scheduler": {"lr_warmup_steps": STEPS // 10},
    "validation_dataset": None,
    "validation_dataloader": None,
}
# Sections without a `_target_`, by the class that is made of them; sizes of `distributed` and keys of the loaders are the recipe's own.
SECTIONS = {"step_scheduler": StepScheduler, "lr_scheduler": LRSchedulerConfig, "checkpoint": CheckpointingConfig, "distributed": FSDP2Config}
SIZES = {"strategy", "dp_size", "tp_size", "cp_size", "pp_size"}
# Read by the recipe itself, by these very names (nemo_automodel/recipes/llm/train_ft.py).
PLAIN = {"recipe": None, "seed": None, "dist_env": {"backend", "timeout_minutes"}, "clip_grad_norm": {"max_norm"}, "packed_sequence": {"packed_sequence_size"}}


def configs():
    return sorted(Path("configs/automodel").glob("*.yaml"))


def accepted(target):
    """Names that a callable takes; None: any."""
    if dataclasses.is_dataclass(target):
        return {field.name for field in dataclasses.fields(target)}
    parameters = inspect.signature(target).parameters.values()
    return None if any(one.kind is one.VAR_KEYWORD for one in parameters) else {one.name for one in parameters}


def unknown(node, where):
    """Keys that the node's own `_target_` does not take, nodes below it included."""
    found = []
    content = node.to_dict() if hasattr(node, "to_dict") else {}
    target = getattr(node, "_target_", None)
    names = accepted(target) if target is not None else None
    for key in content:
        if key != "_target_" and names is not None and key not in names:
            found.append(f"{where}.{key}")
        child = getattr(node, key)
        if key != "_target_" and hasattr(child, "to_dict"):
            found += unknown(child, f"{where}.{key}")
    return found


def every_key_is_known():
    """Its own loader resolves each `_target_`, and each takes the keys beside it; other sections are held against their classes."""
    keys = 0
    for config in configs():
        loaded = load_yaml_config(str(config))
        written = yaml.safe_load(config.read_text(encoding="utf-8"))
        for name, content in written.items():
            keys += len(content) if isinstance(content, dict) else 1
            if name in PLAIN:
                equal(set(content) - PLAIN[name] if PLAIN[name] else set(), set(), f"{config}: unknown keys of {name}")
            elif name in SECTIONS:
                equal(set(content) - SIZES - accepted(SECTIONS[name]), set(), f"{config}: unknown keys of {name}")
            else:
                equal("_target_" in content, True, f"{config}: {name} is known")
                equal(unknown(getattr(loaded, name), name), [], f"{config}: unknown keys")
    return f"{counted(keys, 'keys')} in {len(configs())} files"


def sections_are_built():
    """What the recipe's typed view makes of the sections that need no GPU says what is written."""
    for config in configs():
        written = yaml.safe_load(config.read_text(encoding="utf-8"))
        typed = RecipeConfig(load_yaml_config(str(config)))
        for section in ("step_scheduler", "lr_scheduler"):
            built = getattr(typed, section)
            for key, value in written[section].items():
                if hasattr(built, key):  # batch sizes are read by the recipe itself
                    equal(getattr(built, key), value, f"{config}: {section}.{key}")
        equal(typed.checkpoint.enabled, True, f"{config}: checkpoint.enabled")
    return counted(len(configs()), "files")


def link_rows():
    """`run.sh` up to the trainer, for which a stand-in says nothing."""
    stand_in = Path("bin/torchrun")
    stand_in.parent.mkdir(exist_ok=True)
    stand_in.write_text("#!/bin/sh\n")
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{stand_in.parent.resolve()}:{os.environ['PATH']}", "HEAD_HOST": "here"}
    subprocess.run(["bash", "configs/automodel/run.sh"], env=environment, check=True)


def dataset_makes_our_labels(exported, tokenizer):
    """`ChatDataset` as each config builds it. Its labels are shifted by one, as its loss wants them."""
    samples = 0
    for config in configs():
        made, ours = Counter(), Counter()
        for section, split in (("dataset", "train"), ("validation_dataset", "validation")):
            node = getattr(load_yaml_config(str(config)), section, None)
            if node is None:
                continue
            dataset = node.instantiate(tokenizer=tokenizer)
            for index in range(len(dataset)):
                row = dataset[index]
                made[tuple(row["input_ids"]), tuple(row["labels"])] += 1
            for part in exported.parts:
                if part.layout == "input-output" and part.split == split and part.kind in MIXTURES[config.stem]:
                    for row in exported.rows(part):
                        ids, labels = segment_tokens(tokenizer, row)
                        ours[tuple(ids[:-1]), tuple(labels[1:])] += 1
        equal(made.total(), ours.total(), f"{config}: samples")
        equal(made == ours, True, f"{config}: ids and labels")
        samples += made.total()
    return counted(samples, "samples")


def train(config):
    """The recipe in one process under torchrun, as configs/automodel/run.sh starts it, but for the stand-ins."""
    file = overridden(overridden(config, ON_CPU), SHORT)
    stand_in = Path(__file__).with_name("automodel_on_cpu.py")
    start([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 1, stand_in, file])
    lines = Path("out/automodel-cat/training.jsonl").read_text(encoding="utf-8").splitlines()
    return losses_fall([json.loads(line)["loss"] for line in lines])


def trained_model():
    last = max(Path("out/automodel-cat").glob("epoch_*_step_*"), key=lambda folder: int(folder.name.rsplit("_", 1)[1]))
    return model_is_trained(last / "model/consolidated")


def check_configs(checks, *_):
    checks.run("Automodel: every key is known to what it is for", every_key_is_known)
    checks.run("Automodel: sections are built as written", sections_are_built)


def check_data(checks, exported, tokenizer):
    link_rows()
    checks.run("Automodel: its dataset makes our ids and labels", dataset_makes_our_labels, exported, tokenizer)


def check_training(checks, *_):
    link_rows()
    checks.run("Automodel: the prepared model", yarn_in_place, "./model")
    checks.run("Automodel: the recipe trains", train, "configs/automodel/cat.yaml")
    checks.run("Automodel: the trained model", trained_model)


PARTS = {"configs": check_configs, "data": check_data, "training": check_training}
