"""Stands for the hub where a model is downloaded: its config.json has the numbers of Qwen2.5-Coder-32B-Instruct, and there are no weights."""

import json
from pathlib import Path

CONFIG = {"model_type": "qwen2", "max_position_embeddings": 32768, "num_attention_heads": 40, "num_key_value_heads": 8, "rope_theta": 1000000.0}


def snapshot_download(_model, *, local_dir, ignore_patterns):
    folder = Path(local_dir)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 32768, "ignored": list(ignore_patterns)}), encoding="utf-8")
