"""What one would write to measure trajectories: a frame of messages, token counts, regular expressions, groupby. A part of what `measure` says.

usage: measure_pandas.py FILE.jsonl TOKENIZER.json OUT.jsonl
"""

import os
import sys

import pandas as pd

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

path, vocabulary, out = sys.argv[1:]
tokenizer = Tokenizer.from_file(vocabulary)
failing = r"Traceback \(most recent call last\)|command not found|No such file or directory|^(?:ERROR|FAILED)\b|[1-9]\d* failed"
testing = r"\b(?:pytest|unittest|npm test|node --test|make test)\b"

with open(out, "w") as sink:
    for runs in pd.read_json(path, lines=True, chunksize=20):
        messages = runs["messages"].explode()
        frame = pd.DataFrame(messages.tolist(), index=messages.index)
        frame["content"] = frame["content"].fillna("")
        frame["tokens"] = [len(one) for one in tokenizer.encode_batch(frame["content"].tolist(), add_special_tokens=False)]
        frame["window"] = frame.groupby(level=0)["tokens"].cumsum()
        agent = frame["role"] == "assistant"
        frame["step"] = agent
        frame["calls"] = frame["tool_calls"].astype(str)
        frame["failing"] = ~agent & frame["content"].str.contains(failing, regex=True)
        frame["testing"] = agent & frame["calls"].str.contains(testing, regex=True)
        calls = frame.loc[agent, "calls"].str.replace(r"'id': '[^']*'", "", regex=True).reset_index()
        repeated = calls.duplicated().groupby(calls["index"]).mean()
        measured = frame.groupby(level=0).agg(
            steps=("step", "sum"),
            tokens=("tokens", "sum"),
            largest=("window", "max"),
            failing=("failing", "mean"),
            testing=("testing", "sum"),
            foreign=("content", lambda texts: int(texts.str.count("[^\x00-\u024f]").sum())),
        )
        measured.join(repeated.rename("repeated")).to_json(sink, orient="records", lines=True)
