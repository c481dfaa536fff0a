import unittest

from weft import Conflict, merge

BASE = "a\nb\nc\nd\ne\nf\n"


class Merging(unittest.TestCase):
    def test_changes_of_one_side(self):
        ours = BASE.replace("b\n", "B\n")
        self.assertEqual(merge(BASE, ours, BASE).text, ours)
        self.assertEqual(merge(BASE, BASE, ours).text, ours)

    def test_changes_in_different_places(self):
        result = merge(BASE, BASE.replace("b\n", "B\nB\n"), BASE.replace("e\n", ""))
        self.assertEqual(result.text, "a\nB\nB\nc\nd\nf\n")
        self.assertEqual(result.conflicts, ())

    def test_changes_of_the_same_line(self):
        result = merge(BASE, BASE.replace("c\n", "ours\n"), BASE.replace("c\n", "theirs\n"))
        self.assertEqual(result.text, "a\nb\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\nd\ne\nf\n")
        self.assertEqual(result.conflicts, (Conflict(2, 3, ("ours\n",), ("theirs\n",)),))

    def test_changes_that_touch(self):
        result = merge(BASE, BASE.replace("c\n", "C\n"), BASE.replace("d\n", "D\n"))
        self.assertEqual(result.conflicts, (Conflict(2, 4, ("C\n", "d\n"), ("c\n", "D\n")),))

    def test_one_side_changes_more_below(self):
        result = merge(BASE, BASE.replace("b\n", "B\n"), BASE.replace("b\nc\nd\n", "x\n"))
        self.assertEqual(result.conflicts, (Conflict(1, 4, ("B\n", "c\n", "d\n"), ("x\n",)),))

    def test_names_in_the_markers(self):
        text = merge("a\n", "b\n", "c\n", ("mine.txt", "yours.txt")).text
        self.assertTrue(text.startswith("<<<<<<< mine.txt\n"))
        self.assertTrue(text.endswith(">>>>>>> yours.txt\n"))

    def test_a_conflict_without_a_newline_at_the_end(self):
        self.assertEqual(merge("a", "b", "c").text, "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n")
