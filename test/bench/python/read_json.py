"""Parses every line of a file. usage: read_json.py FILE.jsonl"""

import json
import sys

with open(sys.argv[1], "rb") as lines:
    print(sum(1 for line in lines if json.loads(line)))
