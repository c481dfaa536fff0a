"""axolotl's own schema, `axolotl preprocess` and `axolotl train`, with the files of the dataset as they are; on CPU.

What is set aside: ring-flash-attn, which is only built for GPUs. The schema wants to import it, so a stand-in is there for that check, and
`axolotl preprocess` runs without context parallelism, which changes nothing in the tokens. For the training, what ON_CPU and SHORT name.
"""

import re
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

import yaml
from axolotl.utils.config import merge_input_args, prepare_plugins, validate_config
from axolotl.utils.dict import DictDefault
from axolotl.utils.schemas.config import SpecialTokensConfig
from axolotl.utils.schemas.datasets import SFTDataset
from axolotl.utils.schemas.fsdp import FSDPConfig
from check_tokens import segment_tokens
from checks import counted, equal
from datasets import load_from_disk
from tiny_model import yarn_in_place
from training import LEARNING_RATE, STEPS, losses_fall, model_is_trained, overridden, start

# Context parallelism, FSDP, liger, FlashAttention, bf16, tf32 and the fused optimizer want GPUs.
ON_CPU = {
    **dict.fromkeys(["context_parallel_size", "heads_k_stride", "ring_attn_func", "fsdp_version", "fsdp_config", "plugins"]),
    **dict.fromkeys(["liger_rope", "liger_rms_norm", "liger_glu_activation", "liger_fused_linear_cross_entropy"]),
    "attn_implementation": "sdpa",
    "bf16": False,
    "tf32": False,
    "optimizer": "adamw_torch",
}
# A few short steps instead of three epochs.
SHORT = {
    "gradient_checkpointing": False,
    "max_steps": STEPS,
    "learning_rate": LEARNING_RATE,
    "gradient_accumulation_steps": 1,
    "eval_strategy": "no",
    "save_strategy": "no",
}
HOPPER = {"bf16": True, "tf32": True, "fp8": True, "n_gpu": 8, "n_node": 2, "compute_capability": "sm_90"}


def configs():
    return sorted(Path("configs/axolotl").glob("*.yaml"))


def written(config):
    return yaml.safe_load(config.read_text(encoding="utf-8"))


def unknown(keys, model):
    return [key for key in keys if key not in model.model_fields]


def schema_knows_every_key():
    """The schema ignores what it does not know, so the keys are compared with its fields, plugins included."""
    keys = 0
    for config in configs():
        content = written(config)
        prepare_plugins(DictDefault(content))
        _, model = merge_input_args()
        equal(unknown(content, model), [], f"{config}: unknown keys")
        equal(unknown(content.get("fsdp_config", {}), FSDPConfig), [], f"{config}: unknown keys of fsdp_config")
        equal(unknown(content["special_tokens"], SpecialTokensConfig), [], f"{config}: unknown keys of special_tokens")
        for dataset in content["datasets"] + content.get("test_datasets", []):
            equal(unknown(dataset, SFTDataset), [], f"{config}: unknown keys of {dataset['path']}")
        keys += len(content)
    return f"{counted(keys, 'keys')} in {len(configs())} files"


def schema_takes_every_value():
    """`validate_config` with the capabilities of H100 hosts; each scalar is afterwards what it was."""
    sys.modules["ring_flash_attn"] = types.ModuleType("ring_flash_attn")
    values = 0
    try:
        for config in configs():
            content = written(config)
            made = validate_config(DictDefault(written(config)), capabilities=HOPPER, env_capabilities={"torch_version": "2.11.0"})
            for key, value in content.items():
                if isinstance(value, dict | list):
                    continue
                equal(getattr(made[key], "value", made[key]), value, f"{config}: {key}")
                values += 1
    finally:
        del sys.modules["ring_flash_attn"]
    return counted(values, "values")


def preprocess_makes_our_labels(exported, tokenizer):
    """What `axolotl preprocess` leaves on disk has the ids and labels of `segments`, for every sample of every config."""
    samples = 0
    for config in configs():
        content = written(config)
        command = [sys.executable, "-m", "axolotl.cli.preprocess", str(config), "--context-parallel-size=1"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise AssertionError(f"{config}: {ended.stdout[-1000:]} {ended.stderr[-2000:]}")
        made = Counter()
        for state in Path(content["dataset_prepared_path"]).glob("*/state.json"):
            for row in load_from_disk(str(state.parent)):
                made[tuple(row["input_ids"]), tuple(row["labels"])] += 1
        kinds = {Path(dataset["path"]).name for dataset in content["datasets"]}
        parts = [part for part in exported.parts if part.layout == "input-output" and part.kind in kinds]
        ours = Counter(tuple(map(tuple, segment_tokens(tokenizer, row))) for part in parts for row in exported.rows(part))
        equal(made.total(), ours.total(), f"{config}: samples")
        equal(made == ours, True, f"{config}: ids and labels")
        samples += made.total()
    return f"{counted(samples, 'samples')} by {len(configs())} configs"


def train(config):
    """`axolotl train`; configs/axolotl/run.sh starts the same module on every GPU."""
    command = [Path(sys.executable).with_name("axolotl"), "train", overridden(config, ON_CPU | SHORT), "--launcher=python"]
    return losses_fall([float(loss) for loss in re.findall(r"'loss': '?([\d.]+)", start(command))])


def check_configs(checks, *_):
    checks.run("axolotl: the schema knows every key", schema_knows_every_key)
    checks.run("axolotl: the schema takes every value", schema_takes_every_value)


def check_data(checks, exported, tokenizer):
    checks.run("axolotl: preprocess makes our ids and labels", preprocess_makes_our_labels, exported, tokenizer)


def check_training(checks, *_):
    checks.run("axolotl: the prepared model", yarn_in_place, "./model")
    checks.run("axolotl: axolotl train trains", train, "configs/axolotl/cat-input-output.yaml")
    checks.run("axolotl: the trained model", model_is_trained, "./out/axolotl-cat-input-output")


PARTS = {"configs": check_configs, "data": check_data, "training": check_training}
