from dataclasses import dataclass

from .errors import HunkNotFound
from .lines import join_lines, split_lines

MAX_DISTANCE = 200
MAX_FUZZ = 2


@dataclass(frozen=True)
class ApplyResult:
    """`offsets`: how many lines further down than its header says each hunk went; `fuzz`: context lines given up for it."""

    text: str
    offsets: tuple
    fuzz: tuple


def apply_patch(text, hunks):
    """The patched text. Raises HunkNotFound, see docs/applying.md."""
    lines = split_lines(text)
    offsets, fuzzes = [], []
    growth = 0  # lines that the hunks before have added
    shift = 0  # how much further down this file has its lines than the patch says
    floor = 0  # where the hunk before ended
    for hunk in hunks:
        expected = hunk.old_start + growth + shift
        found = _find(lines, hunk, expected, floor)
        if found is None:
            raise HunkNotFound(hunk)
        at, fuzz, old, new = found
        lines[at : at + len(old)] = new
        floor = at + len(new)
        growth -= len(new) - len(old)
        shift += at - (expected + _given_up(hunk, fuzz)[0])
        offsets.append(shift)
        fuzzes.append(fuzz)
    return ApplyResult(join_lines(lines), tuple(offsets), tuple(fuzzes))


def _given_up(hunk, fuzz):
    """Context lines to leave out at the start and at the end of the hunk."""
    signs = [sign for sign, _ in hunk.lines]
    head = next((at for at, sign in enumerate(signs) if sign != " "), len(signs))
    tail = next((at for at, sign in enumerate(reversed(signs)) if sign != " "), len(signs))
    return min(fuzz, head), min(fuzz, tail)


def _find(lines, hunk, expected, floor):
    for fuzz in range(MAX_FUZZ):
        head, tail = _given_up(hunk, fuzz)
        kept = hunk.lines[head : len(hunk.lines) - tail]
        old = [line for sign, line in kept if sign != "+"]
        new = [line for sign, line in kept if sign != "-"]
        at = _search(lines, old, expected + head, floor)
        if at is not None:
            return at, fuzz, old, new
    return None


def _search(lines, old, expected, floor):
    """The place nearest to `expected`, below before above."""
    last = len(lines) - len(old)
    for distance in range(MAX_DISTANCE + 1):
        for at in (expected + distance, expected - distance):
            if floor <= at <= last and lines[at : at + len(old)] == old:
                return at
    return None
