"""The same with pandas: frames of trajectories, blocks and segments, a mask per filter, JSON lines out. usage: judge_pandas.py ROWS_FOLDER OUT MIN_STEPS"""

import os
import sys

import pandas as pd

folder, out, min_steps = sys.argv[1], sys.argv[2], int(sys.argv[3])


def judged(path):
    rows = pd.read_json(path, lines=True)
    value = pd.DataFrame(rows["outcome"].str["value"].tolist())
    runs = pd.DataFrame(value["trajectory"].tolist())
    blocks = value["blocks"].explode().dropna()
    blocks = pd.DataFrame(blocks.tolist(), index=blocks.index).groupby(level=0)
    calls = blocks.size().reindex(runs.index, fill_value=0)
    fold = blocks["foldTokens"].min().reindex(runs.index)  # nothing to compare: passes, as NaN compares false
    ratio = blocks["foldRatio"].agg(["min", "max"]).reindex(runs.index)
    failing = pd.DataFrame(
        {
            "unresolved": ~runs["resolved"].eq(True),
            "bad-exit": runs["exit"] != "submitted",
            "too-few-steps": runs["steps"] < min_steps,
            "too-many-steps": runs["steps"] > 500,
            "calls": ~calls.between(1, 26),
            "fold-too-small": fold < 1000,
            "fold-ratio": (ratio["min"] < 0.02) | (ratio["max"] > 0.7),
        }
    )
    failed = failing.apply(lambda one: list(failing.columns[one]), axis=1)
    segments = value["segments"].explode()
    fits = pd.DataFrame(segments.tolist(), index=segments.index)["neededTokens"] <= 65536
    keep = (fits & ~failing.any(axis=1).reindex(fits.index)).groupby(level=0).agg(list)
    return pd.DataFrame({"id": rows["id"], "failed": failed, "segments": keep.map(lambda flags: [{"keep": flag} for flag in flags])})


with open(out, "w") as sink:
    for name in sorted(os.listdir(folder)):
        judged(os.path.join(folder, name)).to_json(sink, orient="records", lines=True)
