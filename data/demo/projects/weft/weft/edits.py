from dataclasses import dataclass

from .myers import matches


@dataclass(frozen=True)
class Edit:
    """Lines [old_start, old_end) of the old text became lines [new_start, new_end) of the new one. Either may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def growth(self):
        return (self.new_end - self.new_start) - (self.old_end - self.old_start)


def edits(old, new):
    """What turns the lines of `old` into those of `new`: ascending, and with a common line between any two."""
    found = []
    i = j = 0
    for next_i, next_j in [*matches(old, new), (len(old), len(new))]:
        if next_i > i or next_j > j:
            found.append(Edit(i, next_i, j, next_j))
        i, j = next_i + 1, next_j + 1
    return found


def groups(all_edits, context):
    """Edits that share context lines, or whose context lines touch, together."""
    group = []
    for edit in all_edits:
        if group and edit.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group
