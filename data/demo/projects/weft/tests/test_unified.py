import unittest

from weft import PatchSyntaxError, apply_patch, parse_patch, reverse, unified_diff

OLD = "".join(f"line {number}\n" for number in range(1, 21))


class Writing(unittest.TestCase):
    def test_nothing_for_equal_texts(self):
        self.assertEqual(unified_diff(OLD, OLD), "")

    def test_context_around_a_change(self):
        expected = "--- a\n+++ b\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+LINE 5\n line 6\n line 7\n line 8\n"
        self.assertEqual(unified_diff(OLD, OLD.replace("line 5\n", "LINE 5\n"), "a", "b"), expected)

    def test_two_changes_far_apart(self):
        new = OLD.replace("line 2\n", "").replace("line 15\n", "line 15\nnew\n")
        headers = [line for line in unified_diff(OLD, new).splitlines() if line.startswith("@@")]
        self.assertEqual(headers, ["@@ -1,5 +1,4 @@", "@@ -13,6 +12,7 @@"])

    def test_a_new_file(self):
        self.assertEqual(unified_diff("", "a\n"), "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n")

    def test_no_newline_at_the_end(self):
        self.assertIn("-a\n\\ No newline at end of file\n+a\n", unified_diff("a", "a\n"))


class Parsing(unittest.TestCase):
    def test_what_was_written(self):
        new = OLD.replace("line 9\n", "nine\nnein\n")
        (hunk,) = parse_patch(unified_diff(OLD, new))
        self.assertEqual(hunk.old_start, 5)
        self.assertEqual(hunk.header(), "@@ -6,7 +6,8 @@")
        self.assertEqual(hunk.new_lines[3:5], ["nine\n", "nein\n"])

    def test_a_header_without_counts(self):
        (hunk,) = parse_patch("@@ -1 +1 @@\n-a\n+b\n")
        self.assertEqual((hunk.old_lines, hunk.new_lines), (["a\n"], ["b\n"]))

    def test_an_empty_context_line_whose_blank_is_gone(self):
        (hunk,) = parse_patch("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")
        self.assertEqual(hunk.old_lines, ["a\n", "\n", "b\n"])

    def test_refuses_a_hunk_that_is_too_short(self):
        with self.assertRaises(PatchSyntaxError) as caught:
            parse_patch("--- a\n+++ b\n@@ -1,4 +1,4 @@\n a\n-b\n+c\n")
        self.assertEqual(caught.exception.line_number, 3)

    def test_no_newline_at_the_end(self):
        patch = parse_patch(unified_diff("a\nb", "a\nc"))
        self.assertEqual(apply_patch("a\nb", patch).text, "a\nc")


class Reversing(unittest.TestCase):
    def test_takes_a_patch_back(self):
        new = OLD.replace("line 3\n", "three\n").replace("line 17\n", "")
        patch = parse_patch(unified_diff(OLD, new))
        self.assertEqual(apply_patch(new, reverse(patch)).text, OLD)
