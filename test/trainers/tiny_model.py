"""A dataset's folder with a model in it, as after launch/prepare-model.py: Qwen2 by shape and vocabulary, of random weights and tiny."""

import contextlib
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from checks import equal
from transformers import AutoConfig, AutoModelForCausalLM, Qwen2Config, Qwen2ForCausalLM

# Qwen2.5-Coder's rope_theta, and its native window beside the paper's: 32,768 of 65,536.
ROPE_THETA = 1_000_000.0
STRETCH = 2
SIZE = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}


def window():
    """Tokens of the window, as launch/prepare-model.py says them."""
    return int(re.search(r"^WINDOW = (\d+)$", Path("launch/prepare-model.py").read_text(encoding="utf-8"), re.MULTILINE)[1])


def save_tiny(folder, tokenizer):
    """Its config.json says positions as the Hub's Qwen2.5-Coder does: `rope_theta` alone, which no release of transformers writes today."""
    torch.manual_seed(0)
    config = Qwen2Config(vocab_size=151_936, max_position_embeddings=window() // STRETCH, **SIZE)
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    file = folder / "config.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    kept = {key: value for key, value in content.items() if key not in ("rope_parameters", "rope_scaling")}
    file.write_text(json.dumps({**kept, "rope_theta": ROPE_THETA}), encoding="utf-8")


@contextlib.contextmanager
def ready_to_train(exported, tokenizer):
    """Inside, a copy of the dataset with `./model` is the working directory, as for the launch files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "dataset"
        shutil.copytree(exported.folder, folder)
        with contextlib.chdir(folder):
            native = Path(place) / "native"
            save_tiny(native, tokenizer)
            subprocess.run([sys.executable, "launch/prepare-model.py", "--model", str(native)], check=True, stdout=subprocess.DEVNULL)
            yield folder


def rope_of(config):
    """transformers 5 holds theta and scaling in one place, transformers 4 in two."""
    rope = dict(getattr(config, "rope_parameters", None) or config.rope_scaling or {})
    return {"rope_theta": getattr(config, "rope_theta", None), **rope}


def yarn_in_place(folder):
    """The config as transformers loads it says YaRN, and the model made of it scales its attention by that (YaRN: 0.1 ln(factor) + 1)."""
    config = AutoConfig.from_pretrained(folder)
    rope = rope_of(config)
    wanted = {"rope_type": "yarn", "factor": STRETCH, "original_max_position_embeddings": window() // STRETCH, "rope_theta": ROPE_THETA}
    equal({name: rope.get(name) for name in wanted}, wanted, f"{folder}: rope")
    equal(config.max_position_embeddings, window(), f"{folder}: max_position_embeddings")
    scaling = AutoModelForCausalLM.from_pretrained(folder).model.rotary_emb.attention_scaling
    equal(round(scaling, 6), round(0.1 * math.log(STRETCH) + 1, 6), f"{folder}: attention_scaling")
    return f"YaRN {window() // STRETCH:,} x {STRETCH} positions, attention scaled by {scaling:.4f}"
