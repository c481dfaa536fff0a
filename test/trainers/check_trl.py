"""TRL's own parser, tokenization, trainer and script, and accelerate's parser, with the files of the dataset as they are; on CPU.

What is set aside is named in ON_CPU and SHORT: devices, precision, kernels, and how long it trains.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import yaml
from accelerate.commands.config.config_args import load_config_from_file
from accelerate.commands.launch import _validate_launch_command, launch_command_parser
from check_tokens import segment_tokens
from checks import counted, equal
from datasets import load_dataset
from tiny_model import yarn_in_place
from training import LEARNING_RATE, STEPS, losses_fall, model_is_trained, start
from trl import SFTTrainer
from trl.scripts.sft import make_parser

# FlashAttention, bf16 and the fused optimizer want a GPU.
ON_CPU = {"use_cpu": "true", "bf16": "false", "dtype": "float32", "attn_implementation": "sdpa", "optim": "adamw_torch"}
# A few short steps instead of three epochs.
SHORT = {
    "max_steps": str(STEPS),
    "learning_rate": str(LEARNING_RATE),
    "gradient_accumulation_steps": "1",
    "eval_strategy": "no",
    "save_strategy": "no",
    "report_to": "none",
}


def options(values):
    return [text for name, value in values.items() for text in (f"--{name}", value)]


def configs():
    return sorted(Path("configs/trl").glob("sft*.yaml"))


def parser_knows_every_key():
    """The script's parser, made strict: it takes each file, and each value arrives as it is written."""
    keys = 0
    for config in configs():
        written = yaml.safe_load(config.read_text(encoding="utf-8"))
        arguments = ["--config", str(config), "--use_cpu", "true"]
        parsed = make_parser().parse_args_and_config(arguments, fail_with_unknown_args=True)
        for name, value in written.items():
            holders = [one for one in parsed if hasattr(one, name)]
            equal(bool(holders), True, f"{config}: {name} is known")
            found = getattr(holders[0], name)
            if isinstance(value, list) and isinstance(found, str):
                found = [found]  # a list of one becomes that one, which is how peft knows "all-linear"
            equal(type(value)(getattr(found, "value", found)), value, f"{config}: {name}")
        keys += len(written)
    return f"{counted(keys, 'keys')} in {len(configs())} files"


def accelerate_knows_every_key():
    """`accelerate launch` takes its file; the nested keys, which it does not check itself, are options of its parser."""
    file = "configs/trl/accelerate.yaml"
    written = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    equal(load_config_from_file(file).num_processes, written["num_processes"], "num_processes")
    parser = launch_command_parser()
    options = {action.dest for action in parser._actions}
    nested = [name for section in ("fsdp_config", "parallelism_config") for name in written.get(section, {})]
    equal([name for name in nested if name not in options], [], "unknown options")
    arguments, *_ = _validate_launch_command(parser.parse_args(["--config_file", file, "-m", "trl.scripts.sft"]))
    for section in ("fsdp_config", "parallelism_config"):
        for name, value in written.get(section, {}).items():
            equal(str(getattr(arguments, name)).lower(), str(value).lower(), name)
    return f"{counted(len(written), 'keys')}, {len(nested)} nested ones"


def trainer_makes_our_labels(exported, tokenizer):
    """SFTTrainer's dataset and the batches it collates have the ids and labels of `segments`, for every row of every config."""
    samples = 0
    for config in configs():
        arguments = ["--config", str(config), *options(ON_CPU | SHORT)]
        script, training, model, _ = make_parser().parse_args_and_config(arguments, fail_with_unknown_args=True)
        rows = load_dataset(script.dataset_name, name=script.dataset_config)
        training.model_init_kwargs = {"dtype": model.dtype, "attn_implementation": model.attn_implementation}
        for split, loaded in rows.items():
            trainer = SFTTrainer(model=model.model_name_or_path, args=training, train_dataset=loaded)
            made = Counter()
            for row in trainer.train_dataset:
                batch = trainer.data_collator([row])
                length = len(row["input_ids"])
                made[tuple(batch["input_ids"][0, :length].tolist()), tuple(batch["labels"][0, :length].tolist())] += 1
                equal((batch["labels"][0, length:] == -100).all().item(), True, "padding is not trained")
            kinds = ("base",) if script.dataset_config == "base" else ("segment", "condense")
            parts = [part for part in exported.parts if part.layout == "input-output" and part.split == split and part.kind in kinds]
            ours = Counter(tuple(map(tuple, segment_tokens(tokenizer, row))) for part in parts for row in exported.rows(part))
            equal(made == ours, True, f"{config} {split}: ids and labels")
            samples += ours.total()
    return counted(samples, "samples")


def script_trains():
    """`python -m trl.scripts.sft --config`, as configs/trl/run.sh starts it under accelerate."""
    out = start([sys.executable, "-m", "trl.scripts.sft", "--config", "configs/trl/sft.yaml", *options(ON_CPU | SHORT)])
    return losses_fall([float(loss) for loss in re.findall(r"'loss': '?([\d.]+)", out)])


def check_configs(checks, *_):
    checks.run("TRL: the strict parser knows every key", parser_knows_every_key)
    checks.run("accelerate: the parser knows every key", accelerate_knows_every_key)


def check_data(checks, exported, tokenizer):
    checks.run("TRL: SFTTrainer makes our ids and labels", trainer_makes_our_labels, exported, tokenizer)


def check_training(checks, *_):
    checks.run("TRL: the prepared model", yarn_in_place, "./model")
    checks.run("TRL: trl.scripts.sft trains", script_trains)
    checks.run("TRL: the trained model", model_is_trained, "./out/trl-cat")


PARTS = {"configs": check_configs, "data": check_data, "training": check_training}
