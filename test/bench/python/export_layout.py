"""What one would write to make a dataset of the same samples: `datasets` and `transformers`. Chat template, tokens, the window, columns, Parquet.

The samples are rendered already: JSON lines of `messages` with `train` (for `structured` and `atif` with `tool_calls`, and `tools`), and
metadata. Prints one JSON object: rows and tokens. The cache folder is fresh, as for a new data set.

usage: export_layout.py LAYOUT IN.jsonl TOKENIZER_FOLDER GATED_TEMPLATE WINDOW CACHE OUT.parquet
"""

import json
import os
import sys

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from datasets import Dataset, disable_progress_bars  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402

disable_progress_bars()
layout, samples, tokenizer_folder, template, window, cache, out = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
gated = open(template, encoding="utf-8").read()
end, header = "<|im_end|>", "<|im_start|>assistant\n"


def plain(messages):
    return [{"role": message["role"], "content": message["content"]} for message in messages]


def count(messages, tools=None):
    return len(tokenizer.apply_chat_template(messages, tools=tools, tokenize=True, return_dict=False))


def pieces(messages):
    found, text = [], ""
    for message in messages:
        whole = f"<|im_start|>{message['role']}\n{message['content']}{end}\n"
        if message["train"]:
            found += [{"label": False, "text": text + header}, {"label": True, "text": message["content"] + end}]
            text = "\n"
        else:
            text += whole
    return found + [{"label": False, "text": text}]


def messages_row(row):
    flagged = [{**message, "loss": message["train"] if message["role"] == "assistant" else None} for message in row["messages"]]
    yield {**row, "messages": flagged, "num_tokens": count(plain(row["messages"]))}


def input_output_row(row):
    segments = pieces(row.pop("messages"))
    yield {**row, "segments": segments, "num_tokens": len(tokenizer("".join(piece["text"] for piece in segments))["input_ids"])}


def tokenized_row(row):
    made = tokenizer.apply_chat_template(row["messages"], chat_template=gated, return_dict=True, return_assistant_tokens_mask=True)
    ids = made["input_ids"]
    labels = [one if trained else -100 for one, trained in zip(ids, made["assistant_masks"], strict=True)]
    yield {"input_ids": ids, "attention_mask": made["attention_mask"], "labels": labels, "num_tokens": len(ids)}


def prompt_completion_row(row):
    messages = row.pop("messages")
    first = next(at for at, message in enumerate(messages) if message["train"])
    yield {**row, "prompt": plain(messages[:first]), "completion": plain(messages[first:]), "num_tokens": count(plain(messages))}


def turns_rows(row):
    messages = plain(row["messages"])
    lengths = [len(tokenizer(f"<|im_start|>{message['role']}\n{message['content']}{end}\n")["input_ids"]) for message in messages]
    trained = [at for at, message in enumerate(row["messages"]) if message["train"]]
    for turn, at in enumerate(trained):
        yield {**row, "messages": messages[: at + 1], "turn_index": turn, "num_tokens": sum(lengths[: at + 1])}


def said(row):
    """As the chat template takes them: no null fields, arguments as objects."""
    messages = []
    for message in row["messages"]:
        calls = [
            {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in message["tool_calls"] or []
        ]
        messages.append({"role": message["role"], "content": message["content"], **({"tool_calls": calls} if calls else {})})
    return messages, json.loads(row["tools"]) or None


def structured_row(row):
    yield {**row, "num_tokens": count(*said(row))}


def atif_row(row):
    messages, tools = said(row)
    steps = []
    for message, source in zip(messages, row["messages"], strict=True):
        if message["role"] == "tool":
            result = {"source_call_id": source["tool_call_id"], "content": message["content"]}
            steps[-1].setdefault("observation", {"results": []})["results"].append(result)
            continue
        calls = [
            {"tool_call_id": call["id"], "function_name": call["function"]["name"], "arguments": call["function"]["arguments"]}
            for call in message.get("tool_calls", [])
        ]
        who = "agent" if message["role"] == "assistant" else message["role"]
        step = {"step_id": len(steps) + 1, "source": who, "message": message["content"]}
        steps.append({**step, **({"tool_calls": calls} if calls else {})})
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": row["cat_trajectory_id"],
        "trajectory_id": row["cat_sample_id"],
        "agent": {"name": "catgen", "version": "1", "tool_definitions": tools},
        "steps": steps,
        "final_metrics": {"total_steps": len(steps)},
    }
    metadata = {name: value for name, value in row.items() if name.startswith("cat_")}
    yield {**metadata, "atif": json.dumps(document, ensure_ascii=False), "num_tokens": count(messages, tools)}


makers = {
    "messages": messages_row,
    "input-output": input_output_row,
    "tokenized": tokenized_row,
    "prompt-completion": prompt_completion_row,
    "turns": turns_rows,
    "structured": structured_row,
    "atif": atif_row,
}
make = makers[layout]


def convert(batch):
    rows = [dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True)]
    made = [one for row in rows for one in make(row) if one["num_tokens"] <= int(window)]
    return {name: [one[name] for one in made] for name in made[0]} if made else {}


source = Dataset.from_json(samples, cache_dir=cache)
dataset = source.map(convert, batched=True, batch_size=64, remove_columns=source.column_names)
tokens = sum(dataset["num_tokens"])
(dataset.remove_columns("num_tokens") if layout == "tokenized" else dataset).to_parquet(out)
print(json.dumps({"rows": len(dataset), "tokens": tokens}))
