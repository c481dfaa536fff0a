"""Writes JSON lines as Parquet with pyarrow: zstd, row groups of about 48 MB as ours. usage: write_parquet.py IN.jsonl OUT.parquet"""

import json
import sys

import pyarrow
import pyarrow.parquet

message = pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string()), ("train", pyarrow.bool_())])
schema = pyarrow.schema([("id", pyarrow.string()), ("messages", pyarrow.list_(message))])
group_bytes = 48_000_000

with open(sys.argv[1], "rb") as lines, pyarrow.parquet.ParquetWriter(sys.argv[2], schema, compression="zstd") as writer:
    rows, size = [], 0
    for line in lines:
        rows.append(json.loads(line))
        size += len(line)
        if size >= group_bytes:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows, size = [], 0
    if rows:
        writer.write_table(pyarrow.Table.from_pylist(rows, schema))
