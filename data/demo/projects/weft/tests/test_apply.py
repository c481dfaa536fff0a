import unittest

from weft import HunkNotFound, apply_patch, parse_patch, unified_diff

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 10\n", "ten\n")


class Applying(unittest.TestCase):
    def setUp(self):
        self.patch = parse_patch(unified_diff(OLD, NEW))

    def test_gives_the_new_text(self):
        result = apply_patch(OLD, self.patch)
        self.assertEqual(result.text, NEW)
        self.assertEqual((result.offsets, result.fuzz), ((0,), (0,)))

    def test_many_hunks(self):
        new = OLD.replace("line 4\n", "four\nfive\n").replace("line 14\n", "").replace("line 24\n", "a\nb\nc\n")
        self.assertEqual(apply_patch(OLD, parse_patch(unified_diff(OLD, new))).text, new)

    def test_finds_a_hunk_further_down(self):
        result = apply_patch("new\n" * 7 + OLD, self.patch)
        self.assertEqual(result.text, "new\n" * 7 + NEW)
        self.assertEqual(result.offsets, (7,))

    def test_finds_a_hunk_further_up(self):
        result = apply_patch(OLD.replace("line 1\nline 2\n", ""), self.patch)
        self.assertEqual(result.text, NEW.replace("line 1\nline 2\n", ""))
        self.assertEqual(result.offsets, (-2,))

    def test_gives_up_one_line_of_context(self):
        result = apply_patch(OLD.replace("line 7\n", "seven\n"), self.patch)
        self.assertEqual(result.text, NEW.replace("line 7\n", "seven\n"))
        self.assertEqual(result.fuzz, (1,))

    def test_never_gives_up_what_is_removed(self):
        with self.assertRaises(HunkNotFound) as caught:
            apply_patch(OLD.replace("line 10\n", "10\n"), self.patch)
        self.assertIn("@@ -7,7 +7,7 @@", str(caught.exception))

    def test_an_empty_patch(self):
        self.assertEqual(apply_patch(OLD, []).text, OLD)
