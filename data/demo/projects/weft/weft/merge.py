from dataclasses import dataclass

from .edits import edits
from .lines import join_lines, split_lines


@dataclass(frozen=True)
class Conflict:
    """Lines [start, end) of the base, and what each side made of them."""

    start: int
    end: int
    ours: tuple
    theirs: tuple


@dataclass(frozen=True)
class MergeResult:
    text: str
    conflicts: tuple


@dataclass
class Region:
    """Lines [start, end) of the base, with the edits of each side in it."""

    start: int
    end: int
    ours: list
    theirs: list


def regions(ours, theirs):
    """Edits of both sides that overlap or touch, together; ascending."""
    queue = sorted(
        [(edit.old_start, edit.old_end, 0, edit) for edit in ours] + [(edit.old_start, edit.old_end, 1, edit) for edit in theirs],
        key=lambda entry: entry[:3],
    )
    region = None
    for start, end, side, edit in queue:
        if region is None or start > region.end:
            if region is not None:
                yield region
            region = Region(start, end, [], [])
        else:
            region.end = end
        (region.ours, region.theirs)[side].append(edit)
    if region is not None:
        yield region


def side_text(region, side_edits, base, side):
    """What a side has in place of the region."""
    if not side_edits:
        return base[region.start : region.end]
    first, last = side_edits[0], side_edits[-1]
    start = first.new_start - (first.old_start - region.start)
    end = last.new_end + (region.end - last.old_end)
    return side[start:end]


def marked(ours, theirs, names):
    def ended(lines):
        # A marker needs a line of its own, also behind a file without a newline at its end.
        return [*lines[:-1], lines[-1] if lines[-1].endswith("\n") else lines[-1] + "\n"] if lines else []

    return [f"<<<<<<< {names[0]}\n", *ended(ours), "=======\n", *ended(theirs), f">>>>>>> {names[1]}\n"]


def merge(base_text, ours_text, theirs_text, names=("ours", "theirs")):
    """A three-way merge by lines, see docs/merging.md."""
    base, ours, theirs = split_lines(base_text), split_lines(ours_text), split_lines(theirs_text)
    merged = []
    conflicts = []
    at = 0
    for region in regions(edits(base, ours), edits(base, theirs)):
        merged += base[at : region.start]
        our_lines = side_text(region, region.ours, base, ours)
        their_lines = side_text(region, region.theirs, base, theirs)
        if not region.theirs:
            merged += our_lines
        elif not region.ours:
            merged += their_lines
        else:
            conflicts.append(Conflict(region.start, region.end, tuple(our_lines), tuple(their_lines)))
            merged += marked(our_lines, their_lines, names)
        at = region.end
    merged += base[at:]
    return MergeResult(join_lines(merged), tuple(conflicts))
