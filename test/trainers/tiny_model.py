"""A dataset's folder with a model in it, as after launch/prepare-model.py: Qwen2 by shape and vocabulary, of random weights and tiny."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM


@contextlib.contextmanager
def ready_to_train(exported, tokenizer):
    """Inside, a copy of the dataset with `./model` is the working directory, as for the launch files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "dataset"
        shutil.copytree(exported.folder, folder)
        torch.manual_seed(0)
        size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
        config = Qwen2Config(vocab_size=151_936, max_position_embeddings=65_536, **size)
        Qwen2ForCausalLM(config).save_pretrained(folder / "model")
        tokenizer.save_pretrained(folder / "model")
        with contextlib.chdir(folder):
            yield folder
