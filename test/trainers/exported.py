"""An exported dataset as its card describes it, read with pyarrow alone."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml


def _list(element):
    return pa.list_(pa.field("element", element, nullable=False))


def _required(name, column_type):
    return pa.field(name, column_type, nullable=False)


_TEXTS = _list(pa.struct([_required("label", pa.bool_()), _required("text", pa.string())]))
_MESSAGES = _list(
    pa.struct(
        [
            _required("role", pa.string()),
            _required("content", pa.string()),
            _required("train", pa.bool_()),
            pa.field("loss", pa.bool_()),
        ]
    )
)
_METADATA = [
    _required("cat_sample_id", pa.string()),
    pa.field("cat_instance_id", pa.string()),
    _required("cat_trajectory_id", pa.string()),
    _required("cat_segment_index", pa.int32()),
    _required("cat_num_segments", pa.int32()),
    _required("cat_step_ids", _list(pa.int32())),
    _required("cat_tools_json", pa.string()),
    _required("cat_call_style", pa.string()),
    _required("cat_num_tokens", pa.int32()),
    _required("cat_num_trained_tokens", pa.int32()),
    pa.field("cat_resolved", pa.bool_()),
    _required("cat_source", pa.string()),
    pa.field("cat_license", pa.string()),
    pa.field("cat_meta_json", pa.string()),
]
# Written down here a second time on purpose: a column that changes unnoticed must not change its own expectation.
_PLAIN = _list(pa.struct([_required("role", pa.string()), _required("content", pa.string())]))
_FUNCTION = pa.struct([_required("name", pa.string()), _required("arguments", pa.string())])
_CALLS = _list(pa.struct([_required("id", pa.string()), _required("type", pa.string()), _required("function", _FUNCTION)]))
_SAID = _list(
    pa.struct(
        [
            _required("role", pa.string()),
            _required("content", pa.string()),
            pa.field("tool_calls", _CALLS),
            pa.field("tool_call_id", pa.string()),
            _required("train", pa.bool_()),
        ]
    )
)
SCHEMAS = {
    "messages": pa.schema([_required("messages", _MESSAGES), *_METADATA]),
    "input-output": pa.schema([_required("segments", _TEXTS), *_METADATA]),
    "tokenized": pa.schema(
        [_required("input_ids", _list(pa.int32())), _required("attention_mask", _list(pa.int8())), _required("labels", _list(pa.int32()))]
    ),
    "prompt-completion": pa.schema([_required("prompt", _PLAIN), _required("completion", _PLAIN), *_METADATA]),
    "turns": pa.schema([_required("messages", _PLAIN), _required("cat_turn_index", pa.int32()), *_METADATA]),
    "structured": pa.schema([_required("messages", _SAID), _required("tools", pa.string()), *_METADATA]),
    "atif": pa.schema(
        [
            _required("atif", pa.string()),
            _required("atif_trajectory_id", pa.string()),
            pa.field("atif_continued_trajectory_ref", pa.string()),
            *_METADATA,
        ]
    ),
}


MIXTURES = {"cat": ["segment", "condense"], "base": ["base"], "flat": ["flat"], "step": ["step", "condense"]}


@dataclass(frozen=True)
class Part:
    """A line of the card's table."""

    layout: str
    kind: str
    split: str
    rows: int
    tokens: int
    trained_tokens: int

    @property
    def config(self):
        return f"{self.layout}-{self.kind}"


# What a published dataset is pulled back from; nobody trains on it.
AUDIT = pa.schema(
    [
        _required("cat_audit_id", pa.string()),
        _required("cat_instance_id", pa.string()),
        _required("cat_source", pa.string()),
        pa.field("cat_license", pa.string()),
        _required("cat_audit_trajectory", pa.string()),
        *[pa.field(f"cat_audit_{part}", pa.string()) for part in ("detection", "memory", "workspace", "metrics")],
    ]
)


class Exported:
    """The dataset in `folder`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        card = (self.folder / "README.md").read_text(encoding="utf-8")
        self.front_matter = yaml.safe_load(card.split("---\n")[1])
        line = re.compile(r"^\| ([\w-]+) \| (\w+) \| (train|validation) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
        self.parts = [Part(*names, *(int(n.replace(",", "")) for n in numbers)) for *names, a, b, c in line.findall(card) for numbers in [(a, b, c)]]

    def files(self, part):
        """Its shards, in order."""
        return sorted((self.folder / part.layout / part.kind).glob(f"{part.split}-*.parquet"))

    def audit_files(self):
        """Of the audit, by split; none where it is switched off."""
        return {side: sorted((self.folder / "audit").glob(f"{side}-*.parquet")) for side in ("kept", "rejected")}

    @cache
    def rows(self, part):
        """Its rows as dictionaries."""
        return [row for file in self.files(part) for row in pq.read_table(file).to_pylist()]

    def mixtures(self, layout):
        """`{(mixture, split): rows}` of those that have something to train on."""
        rows = {}
        for name, kinds in MIXTURES.items():
            own = [part for part in self.parts if part.layout == layout and part.kind in kinds]
            trained = {part.kind for part in own if part.split == "train"}
            if not trained or (name != "cat" and kinds[0] not in {part.kind for part in own}):
                continue
            for part in own:
                rows[name, part.split] = rows.get((name, part.split), 0) + part.rows
        return rows

    def pairs(self):
        """`(kind, messages row, input-output row)` of every sample."""
        by_name = {(part.layout, part.kind, part.split): part for part in self.parts}
        for part in self.parts:
            if part.layout == "messages":
                twin = by_name["input-output", part.kind, part.split]
                yield from ((part.kind, a, b) for a, b in zip(self.rows(part), self.rows(twin), strict=True))
