"""Writes Parquet files again with pyarrow: same rows, row groups, codec, dictionaries, statistics and pages (version 1, 1 MiB).

Prints one JSON object: bytes of all files as they were and as pyarrow writes them, and the columns of which those are larger by a tenth.
usage: rewrite_parquet.py OUT.parquet FILE.parquet...
"""

import json
import os
import sys

import pyarrow.parquet as pq

out, files = sys.argv[1], sys.argv[2:]
level = 1  # zstd's level in both libraries when nothing is said


def columns_of(path):
    metadata = pq.read_metadata(path)
    sizes = {}
    for group in range(metadata.num_row_groups):
        for at in range(metadata.num_columns):
            column = metadata.row_group(group).column(at)
            sizes[column.path_in_schema] = sizes.get(column.path_in_schema, 0) + column.total_compressed_size
    return sizes


ours = theirs = 0
larger = {}
for path in files:
    source = pq.ParquetFile(path)
    codec = source.metadata.row_group(0).column(0).compression.lower()
    settings = {"compression": codec, "compression_level": level, "use_dictionary": True, "write_statistics": True, "version": "1.0"}
    with pq.ParquetWriter(out, source.schema_arrow, data_page_version="1.0", data_page_size=1 << 20, **settings) as writer:
        for group in range(source.num_row_groups):
            table = source.read_row_group(group)
            writer.write_table(table, row_group_size=max(1, table.num_rows))
    ours += os.path.getsize(path)
    theirs += os.path.getsize(out)
    own = columns_of(out)
    for name, size in columns_of(path).items():
        if size > 1.1 * own[name] + 1024:
            before, after = larger.get(name, (0, 0))
            larger[name] = (before + size, after + own[name])
os.remove(out)
print(json.dumps({"ours": ours, "theirs": theirs, "larger": larger}))
