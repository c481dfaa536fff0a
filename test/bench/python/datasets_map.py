"""The same with `datasets`: load the JSON lines, map a token count over them. The cache folder is fresh, as for a new data set.

usage: datasets_map.py FILE.jsonl TOKENIZER.json PROCESSES CACHE
"""

import os
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_DATASETS_OFFLINE"] = "1"
from datasets import Dataset, disable_progress_bars  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

disable_progress_bars()
path, vocabulary, processes, cache = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
tokenizer = Tokenizer.from_file(vocabulary)


def count(row):
    return {"tokens": sum(len(tokenizer.encode(message["content"] or "", add_special_tokens=False)) for message in row["messages"])}


rows = Dataset.from_json(path, cache_dir=cache)
print(sum(rows.map(count, num_proc=processes)["tokens"]))
