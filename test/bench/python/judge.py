"""The obvious Python way to judge stored metrics again: json.loads, a handful of comparisons, json.dumps. usage: judge.py ROWS_FOLDER OUT MIN_STEPS"""

import json
import os
import sys

folder, out, min_steps = sys.argv[1], sys.argv[2], int(sys.argv[3])


def failures(value):
    run, blocks = value["trajectory"], value["blocks"]
    found = []
    if run["resolved"] is not True:
        found.append("unresolved")
    if run["exit"] != "submitted":
        found.append("bad-exit")
    if run["steps"] < min_steps:
        found.append("too-few-steps")
    if run["steps"] > 500:
        found.append("too-many-steps")
    if not 1 <= len(blocks) <= 26:
        found.append("calls")
    if blocks and min(block["foldTokens"] for block in blocks) < 1000:
        found.append("fold-too-small")
    ratios = [block["foldRatio"] for block in blocks]
    if ratios and (min(ratios) < 0.02 or max(ratios) > 0.7):
        found.append("fold-ratio")
    return found


with open(out, "w") as sink:
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as rows:
            for line in rows:
                row = json.loads(line)
                value = row["outcome"]["value"]
                failed = failures(value)
                segments = [{"keep": not failed and one["neededTokens"] <= 65536} for one in value["segments"]]
                sink.write(json.dumps({"id": row["id"], "failed": failed, "segments": segments}) + "\n")
