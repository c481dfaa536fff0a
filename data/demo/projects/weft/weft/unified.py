import re
from dataclasses import dataclass

from .edits import edits, groups
from .errors import PatchSyntaxError
from .lines import split_lines

NO_NEWLINE = "\\ No newline at end of file\n"


@dataclass(frozen=True)
class Hunk:
    """`lines`: pairs of a sign (" ", "-" or "+") and a line. Starts count from 0, also where a side is empty."""

    old_start: int
    new_start: int
    lines: tuple

    @property
    def old_lines(self):
        return [line for sign, line in self.lines if sign != "+"]

    @property
    def new_lines(self):
        return [line for sign, line in self.lines if sign != "-"]

    def header(self):
        return f"@@ -{_range(self.old_start, len(self.old_lines))} +{_range(self.new_start, len(self.new_lines))} @@"


def _range(start, count):
    """As in headers: from 1; an empty range names the line before it; a count of 1 is left out."""
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"


def hunks_between(old, new, context=3):
    """Hunks from the lines of `old` to those of `new`."""
    for group in groups(edits(old, new), context):
        first, last = group[0], group[-1]
        before = min(context, first.old_start)
        after = min(context, len(old) - last.old_end)
        lines = []
        at = first.old_start - before
        for edit in group:
            lines += [(" ", line) for line in old[at : edit.old_start]]
            lines += [("-", line) for line in old[edit.old_start : edit.old_end]]
            lines += [("+", line) for line in new[edit.new_start : edit.new_end]]
            at = edit.old_end
        lines += [(" ", line) for line in old[at : at + after]]
        yield Hunk(first.old_start - before, first.new_start - before, tuple(lines))


def unified_diff(old_text, new_text, old_name="old", new_name="new", context=3):
    """Empty for equal texts."""
    hunks = list(hunks_between(split_lines(old_text), split_lines(new_text), context))
    if not hunks:
        return ""
    parts = [f"--- {old_name}\n", f"+++ {new_name}\n"]
    for hunk in hunks:
        parts.append(hunk.header() + "\n")
        for sign, line in hunk.lines:
            parts.append(sign + line if line.endswith("\n") else f"{sign}{line}\n{NO_NEWLINE}")
    return "".join(parts)


_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def parse_patch(text):
    """Hunks of a unified diff of one file; what stands before the first one is passed by."""
    lines = split_lines(text)
    hunks = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("@@"):
            hunk, at = _parse_hunk(lines, at)
            hunks.append(hunk)
        elif not hunks or not lines[at].strip():
            at += 1
        else:
            raise PatchSyntaxError(at + 1, f"expected a hunk, got {lines[at].rstrip()!r}")
    return hunks


def _parse_hunk(lines, at):
    found = _HEADER.match(lines[at])
    if found is None:
        raise PatchSyntaxError(at + 1, f"expected a header such as @@ -1,3 +1,4 @@, got {lines[at].rstrip()!r}")
    old_first, old_count, new_first, new_count = (1 if group is None else int(group) for group in found.groups())
    header = at
    left = {"-": old_count, "+": new_count}
    body = []
    at += 1
    while left["-"] > 0 or left["+"] > 0:
        line = lines[at] if at < len(lines) else ""
        sign = line[:1] if line.strip() else " "  # editors strip the blank of an empty context line
        if sign not in (" ", "-", "+") or not line:
            raise PatchSyntaxError(header + 1, f"the hunk ends after {len(body)} lines, its header promises more")
        body.append((sign, line[1:] if line.strip() else "\n"))
        for side in "-+":
            left[side] -= sign in (" ", side)
        at += 1
        if at < len(lines) and lines[at].startswith("\\"):
            body[-1] = (sign, body[-1][1].rstrip("\n"))
            at += 1
    old_start = old_first - 1 if old_count else old_first
    new_start = new_first - 1 if new_count else new_first
    return Hunk(old_start, new_start, tuple(body)), at


_OTHER = {" ": " ", "-": "+", "+": "-"}


def reverse(hunks):
    """The hunks that take these back. Removed lines come before added ones, as in every diff."""
    turned = []
    for hunk in hunks:
        lines = []
        added = []
        for sign, line in hunk.lines:
            if sign == "-":
                added.append(("+", line))
            elif sign == "+":
                lines.append(("-", line))
            else:
                lines += [*added, (sign, line)]
                added = []
        turned.append(Hunk(hunk.new_start, hunk.old_start, tuple([*lines, *added])))
    return turned
