import random
import unittest
from collections import Counter

from weft import merge

BASE = "".join(f"{number}\n" for number in range(1, 13))


def without(text, *numbers):
    return "".join(line for line in text.splitlines(True) if int(line) not in numbers)


class WideChanges(unittest.TestCase):
    def test_one_side_removes_what_the_other_changes(self):
        ours, theirs = without(BASE, 3, 4, 5, 6, 7, 8), BASE.replace("4\n", "four\n").replace("10\n", "ten\n")
        for conflicts, sides in ((merge(BASE, ours, theirs).conflicts, 0), (merge(BASE, theirs, ours).conflicts, 1)):
            (conflict,) = conflicts
            removed, changed = (conflict.ours, conflict.theirs)[:: 1 - 2 * sides]
            self.assertEqual((conflict.start, conflict.end), (2, 8))
            self.assertEqual("".join(removed), "")
            self.assertEqual("".join(changed), "3\nfour\n5\n6\n7\n8\n")

    def test_one_side_changes_across_two_changes_of_the_other(self):
        ours = BASE.replace("2\n3\n4\n5\n6\n7\n", "x\n")
        theirs = BASE.replace("3\n", "three\n").replace("6\n", "six\n")
        (conflict,) = merge(BASE, ours, theirs).conflicts
        self.assertEqual((conflict.start, conflict.end), (1, 7))
        self.assertEqual("".join(conflict.theirs), "2\nthree\n4\n5\nsix\n7\n")

    def test_what_follows_a_region_stands_once(self):
        text = merge(BASE, without(BASE, 3, 4, 5, 6), BASE.replace("4\n", "four\n")).text
        self.assertTrue(text.endswith(">>>>>>> theirs\n7\n8\n9\n10\n11\n12\n"))


class SameChanges(unittest.TestCase):
    def test_are_taken_once(self):
        both = BASE.replace("5\n", "five\n")
        result = merge(BASE, both.replace("1\n2\n", "1\n"), both)
        self.assertEqual(result.conflicts, ())
        self.assertEqual(result.text, both.replace("1\n2\n", "1\n"))

    def test_deletions_too(self):
        both = without(BASE, 5, 6)
        self.assertEqual((merge(BASE, both, both).text, merge(BASE, both, both).conflicts), (both, ()))


class AnyTexts(unittest.TestCase):
    """Base lines are lower case, lines of ours are numbered o, those of theirs t, so that each is found again."""

    def sides(self):
        chance = random.Random(11)
        for _ in range(1_500):
            base = [chance.choice("abc") + "\n" for _ in range(chance.randint(0, 12))]
            yield base, self.changed(base, "o", chance), self.changed(base, "t", chance)

    def changed(self, base, name, chance):
        lines = list(base)
        for number in range(chance.randint(0, 3)):
            at = chance.randint(0, len(lines))
            lines[at : at + chance.randint(0, 5)] = [f"{name}{number}.{line}\n" for line in range(chance.randint(0, 2))]
        return lines

    def test_nothing_is_lost_and_nothing_stands_twice(self):
        for base, ours, theirs in self.sides():
            merged = Counter(merge(*map("".join, (base, ours, theirs))).text.splitlines(True))
            for line in ours + theirs:
                if line[0] in "ot":
                    self.assertEqual(merged[line], 1, (base, ours, theirs))

    def test_sides_may_be_swapped(self):
        for base, ours, theirs in self.sides():
            one, other = (merge(*map("".join, texts)) for texts in ((base, ours, theirs), (base, theirs, ours)))
            self.assertEqual(len(one.conflicts), len(other.conflicts))
            if not one.conflicts:
                self.assertEqual(one.text, other.text)

    def test_a_side_merged_with_itself_or_the_base(self):
        for base, side, _ in self.sides():
            base, side = "".join(base), "".join(side)
            for ours, theirs in ((side, base), (base, side), (side, side)):
                self.assertEqual(merge(base, ours, theirs).text, side)


if __name__ == "__main__":
    unittest.main()
