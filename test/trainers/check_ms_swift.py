"""ms-swift's own arguments and template, with the files of the dataset as they are; on CPU.

What is set aside is named in ON_CPU and SHORT: DeepSpeed, FlashAttention, liger and context parallelism are built for GPUs.
"""

import dataclasses
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import yaml
from check_tokens import segment_tokens
from checks import counted, equal
from swift.arguments import SftArguments
from swift.utils import parse_args
from tiny_model import yarn_in_place
from training import LEARNING_RATE, STEPS, losses_fall, model_is_trained, overridden, start

ON_CPU = {
    "deepspeed": None,
    "bf16": False,
    "torch_dtype": "float32",
    "optim": "adamw_torch",
    "attn_impl": "sdpa",
    "padding_free": False,
    "packing": False,  # refused without FlashAttention
    "use_liger_kernel": False,
    "sequence_parallel_size": None,
}
# A few short steps instead of three epochs, and the model saved behind the last.
SHORT = {
    "max_steps": STEPS,
    "learning_rate": LEARNING_RATE,
    "gradient_accumulation_steps": 1,
    "eval_strategy": "no",
    "save_strategy": "steps",
    "save_steps": STEPS,
}


os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")


def configs():
    return sorted(Path("configs/ms-swift").glob("*.yaml"))


def written(config):
    return yaml.safe_load(config.read_text(encoding="utf-8"))


def arguments(content):
    """The command line that `swift sft CONFIG` makes of a file."""
    made = []
    for key, value in content.items():
        made += [f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return made


def on_cpu(content):
    content = {key: ON_CPU.get(key, value) for key, value in content.items()}
    return {key: value for key, value in content.items() if value is not None}


def schema_knows_every_key():
    known = {field.name for field in dataclasses.fields(SftArguments)}
    keys = 0
    for config in configs():
        equal([key for key in written(config) if key not in known], [], f"{config}: unknown keys")
        keys += len(written(config))
    return f"{counted(keys, 'keys')} in {len(configs())} files"


def parser_takes_every_value():
    """Its own parser takes each file, nothing is left over, and each value arrives as it is written."""
    values = 0
    for config in configs():
        content = on_cpu(written(config))
        parsed, left = parse_args(SftArguments, arguments(content))
        equal(left, [], f"{config}: left over")
        for key, value in content.items():
            if key in ("model", "output_dir", "torch_dtype", "report_to"):
                continue  # paths become absolute, the type a torch.dtype
            found = getattr(parsed, key)
            if key == "warmup_ratio":
                found = found or parsed.warmup_steps  # moved there for transformers 5
            equal(type(value)(getattr(found, "value", found)), value, f"{config}: {key}")
            values += 1
    return counted(values, "values")


def template_makes_our_labels(exported, tokenizer):
    """Ids are those of `segments`; labels, too, and the newline that follows a trained turn is trained beside them."""
    parsed, _ = parse_args(SftArguments, arguments(on_cpu(written(configs()[0]))))
    _, processor = parsed.get_model_processor(load_model=False)
    template = parsed.get_template(processor)
    template.set_mode("train")
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    samples = 0
    for config in configs():
        ours, made = Counter(), Counter()
        content = written(config)
        for path in content["dataset"] + content.get("val_dataset", []):
            pieces = {row["cat_sample_id"]: row for row in pq.read_table(path.replace("messages/", "input-output/", 1)).to_pylist()}
            for row in pq.read_table(path).to_pylist():
                messages = [{key: value for key, value in message.items() if value is not None} for message in row["messages"]]
                encoded = template.encode({"messages": messages})
                ids, labels = segment_tokens(tokenizer, pieces[row["cat_sample_id"]])
                after = [ids[at] if at > 0 and labels[at - 1] == end else label for at, label in enumerate(labels)]
                made[tuple(encoded["input_ids"]), tuple(encoded["labels"])] += 1
                ours[tuple(ids), tuple(after)] += 1
        equal(made == ours, True, f"{config}: ids and labels")
        samples += ours.total()
    return counted(samples, "samples")


def train(config):
    """`swift sft`, as configs/ms-swift/run.sh starts it."""
    out = start([Path(sys.executable).with_name("swift"), "sft", overridden(config, ON_CPU | SHORT)])
    return losses_fall([float(loss) for loss in re.findall(r"'loss': '?([\d.]+)", out)])


def check_configs(checks, *_):
    checks.run("ms-swift: its arguments know every key", schema_knows_every_key)
    checks.run("ms-swift: its parser takes every value", parser_takes_every_value)


def check_data(checks, exported, tokenizer):
    checks.run("ms-swift: the template makes our ids and labels", template_makes_our_labels, exported, tokenizer)


def check_training(checks, *_):
    checks.run("ms-swift: the prepared model", yarn_in_place, "./model")
    checks.run("ms-swift: swift sft trains", train, "configs/ms-swift/cat.yaml")
    checks.run("ms-swift: the trained model", model_is_trained, f"./out/ms-swift-cat/checkpoint-{STEPS}")


PARTS = {"configs": check_configs, "data": check_data, "training": check_training}
