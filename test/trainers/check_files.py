"""`datasets`, pyarrow and DuckDB load the dataset unedited and find in it what the card says and what our own reader finds."""

import hashlib
import json

import duckdb
import pyarrow.parquet as pq
from checks import counted, equal
from datasets import Features, load_dataset, load_from_disk
from exported import AUDIT, SCHEMAS


def named_configs_load(exported):
    """`load_dataset(FOLDER, "<layout>-<kind>")`: splits, rows, and types as promised."""
    configs = [config["config_name"] for config in exported.front_matter["configs"]]
    audit = {side: sum(pq.read_metadata(file).num_rows for file in files) for side, files in exported.audit_files().items() if files}
    configs = [name for name in configs if not name.endswith("-cat-base")]  # of several kinds; the others hold the same rows
    equal(sorted(configs), sorted({part.config for part in exported.parts} | ({"audit"} if audit else set())), "configs")
    if audit:
        loaded = load_dataset(str(exported.folder), "audit")
        equal({name: split.num_rows for name, split in loaded.items()}, audit, "audit")
    rows = 0
    for config in sorted(set(configs) - {"audit"}):
        loaded = load_dataset(str(exported.folder), config)
        parts = [part for part in exported.parts if part.config == config]
        equal({name: split.num_rows for name, split in loaded.items()}, {part.split: part.rows for part in parts}, config)
        for split in loaded.values():
            equal(split.features, Features.from_arrow_schema(SCHEMAS[parts[0].layout]), f"features of {config}")
        rows += sum(loaded.num_rows.values())
    return f"{len(configs)} configs, {counted(rows, 'rows')}"


def folders_load(exported):
    """Each `<layout>/<kind>` alone, as axolotl names it, and the mixtures of each layout, as TRL names them."""
    for part in exported.parts:
        path = str(exported.folder / part.layout / part.kind)
        equal(load_dataset(path, split=part.split).num_rows, part.rows, path)
    mixtures = 0
    for layout in dict.fromkeys(part.layout for part in exported.parts):
        for (mixture, split), expected in exported.mixtures(layout).items():
            loaded = load_dataset(str(exported.folder / layout), mixture, split=split)
            equal(loaded.num_rows, expected, f"mixture {mixture} {split} of {layout}")
            mixtures += 1
    return f"{counted(len(exported.parts), 'splits')}, mixtures of {mixtures} splits"


def saved_folders_load(exported):
    """`load_from_disk` of each mixture: the rows of `tokenized`, kind after kind, as LLaMA-Factory takes them."""
    rows = 0
    for (mixture, split), expected in exported.mixtures("tokenized").items():
        saved = load_from_disk(str(exported.folder / "tokenized-disk" / mixture))[split]
        equal(saved.num_rows, expected, f"{mixture} {split}")
        loaded = load_dataset(str(exported.folder / "tokenized"), mixture, split=split)
        equal(saved.features, loaded.features, f"features of {mixture} {split}")
        equal(digest_of(saved), digest_of(loaded), f"rows of {mixture} {split}")
        rows += saved.num_rows
    return counted(rows, "rows")


def columns_are_as_documented(exported):
    """Arrow types and nullability of every shard, and no metadata that old versions of `datasets` would trip over."""
    files = [(part, file) for part in exported.parts for file in exported.files(part)]
    for part, file in files:
        schema = pq.read_schema(file)
        if not schema.equals(SCHEMAS[part.layout]):
            raise AssertionError(f"{file}: expected {SCHEMAS[part.layout]}, found {schema}")
        equal(b"huggingface" in (schema.metadata or {}), False, f"{file} has a huggingface key")
    audit = [file for files in exported.audit_files().values() for file in files]
    for file in audit:
        equal(pq.read_schema(file), AUDIT, str(file))
    return counted(len(files) + len(audit), "files")


def digest_of(rows):
    """Over the canonical JSON of the rows, each followed by a newline."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def duckdb_rows(file):
    """Its rows as dictionaries."""
    cursor = duckdb.execute("SELECT * FROM read_parquet(?)", [str(file)])
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def readers_agree(exported, digests, reader):
    """The rows of every file have the digest that our own reader finds."""
    for ours in digests:
        rows = reader(exported.folder / ours["path"])
        equal((len(rows), digest_of(rows)), (ours["rows"], ours["sha256"]), ours["path"])
    audit = sum(len(files) for files in exported.audit_files().values())
    equal(len(digests), sum(len(exported.files(part)) for part in exported.parts) + audit, "files")
    return f"{counted(len(digests), 'files')}, {sum(ours['rows'] for ours in digests):,} rows"


def sums_match_the_card(exported):
    """Rows and tokens by DuckDB, over the shards of each split."""
    for part in exported.parts:
        pattern = str(exported.folder / part.layout / part.kind / f"{part.split}-*.parquet")
        sums = ("cat_num_tokens", "cat_num_trained_tokens")
        if part.layout == "tokenized":
            sums = ("len(input_ids)", "len(list_filter(labels, lambda label: label <> -100))")
        query = f"SELECT count(*), sum({sums[0]}), sum({sums[1]}) FROM read_parquet(?)"
        equal(duckdb.execute(query, [pattern]).fetchone(), (part.rows, part.tokens, part.trained_tokens), pattern)
    return f"{sum(part.tokens for part in exported.parts):,} tokens in {counted(len(exported.parts), 'splits')}"


def run(checks, exported, digests):
    checks.run("datasets: every config loads, splits and rows and types as the card says", named_configs_load, exported)
    checks.run("datasets: every folder and mixture loads alone", folders_load, exported)
    if any(part.layout == "tokenized" for part in exported.parts):
        checks.run("datasets: load_from_disk gives the tokenized rows", saved_folders_load, exported)
    checks.run("pyarrow: types of all columns as documented", columns_are_as_documented, exported)
    checks.run("pyarrow: rows equal ours", readers_agree, exported, digests, lambda file: pq.read_table(file).to_pylist())
    checks.run("DuckDB: rows equal ours", readers_agree, exported, digests, duckdb_rows)
    checks.run("DuckDB: sums equal the card's", sums_match_the_card, exported)
