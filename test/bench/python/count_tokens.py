"""The obvious Python way to do what import, detect and measure need first: parse every run, count the tokens of every message.

usage: count_tokens.py FILE.jsonl TOKENIZER.json PROCESSES
"""

import json
import multiprocessing
import os
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

tokenizer = None


def start(path):
    global tokenizer
    tokenizer = Tokenizer.from_file(path)


def count(line):
    run = json.loads(line)
    return [len(tokenizer.encode(message.get("content") or "", add_special_tokens=False)) for message in run["messages"]]


if __name__ == "__main__":
    path, vocabulary, processes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    total = 0
    with open(path, "rb") as lines, multiprocessing.Pool(processes, start, [vocabulary]) as pool:
        for counts in pool.imap(count, lines, chunksize=8):
            total += sum(counts)
    print(total)
