import unittest

from weft.edits import Edit, edits, groups
from weft.lines import join_lines, split_lines
from weft.myers import matches


class Lines(unittest.TestCase):
    def test_survive_a_round_trip(self):
        for text in ("", "a", "a\n", "a\nb", "\n", "\n\n", "a\r\nb\r\n", "a\x0cb\n"):
            self.assertEqual(join_lines(split_lines(text)), text)

    def test_end_with_a_newline_only(self):
        self.assertEqual(split_lines("a\r\nb\x0bc\n"), ["a\r\n", "b\x0bc\n"])


class Matches(unittest.TestCase):
    def test_of_the_paper(self):
        pairs = matches("abcabba", "cbabac")
        self.assertEqual(len(pairs), 4)
        self.assertTrue(all("abcabba"[i] == "cbabac"[j] for i, j in pairs))

    def test_of_nothing(self):
        self.assertEqual(matches("", "abc"), [])
        self.assertEqual(matches("abc", ""), [])

    def test_are_as_many_as_possible(self):
        self.assertEqual(len(matches("axbxcxd", "abcd")), 4)


class Edits(unittest.TestCase):
    def test_of_equal_texts(self):
        self.assertEqual(edits("abc", "abc"), [])

    def test_of_a_change_in_the_middle(self):
        self.assertEqual(edits("abc", "axc"), [Edit(1, 2, 1, 2)])

    def test_of_an_insertion_and_a_deletion(self):
        self.assertEqual(edits("abcd", "xabd"), [Edit(0, 0, 0, 1), Edit(2, 3, 3, 3)])

    def test_know_how_much_they_grow(self):
        self.assertEqual([edit.growth for edit in edits("abcd", "xyabd")], [2, -1])

    def test_are_grouped_by_their_distance(self):
        near = [Edit(0, 1, 0, 1), Edit(7, 8, 7, 8)]
        self.assertEqual(list(groups(near, 3)), [near])
        self.assertEqual(list(groups(near, 2)), [[near[0]], [near[1]]])
