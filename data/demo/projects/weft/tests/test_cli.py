import io
import tempfile
import unittest
from pathlib import Path

from weft.cli import main


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text.encode())
        return str(path)

    def run_weft(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        code = main(list(arguments), out, err)
        return code, out.getvalue(), err.getvalue()

    def test_diff_and_patch(self):
        old, new = self.write("old", "a\nb\n"), self.write("new", "a\nc\n")
        code, diff, _ = self.run_weft("diff", old, new)
        self.assertEqual(code, 1)
        self.assertEqual(self.run_weft("patch", old, self.write("diff", diff)), (0, "a\nc\n", ""))
        self.assertEqual(self.run_weft("patch", "-R", new, self.write("diff", diff)), (0, "a\nb\n", ""))

    def test_diff_of_equal_files(self):
        self.assertEqual(self.run_weft("diff", self.write("a", "x\n"), self.write("b", "x\n")), (0, "", ""))

    def test_patch_says_where_hunks_went(self):
        file, diff = self.write("file", "new\na\nb\n"), self.write("diff", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
        code, text, said = self.run_weft("patch", "-v", file, diff)
        self.assertEqual((code, text), (0, "new\na\nc\n"))
        self.assertEqual(said, "@@ -1,2 +1,2 @@ offset 1, fuzz 0\n")

    def test_patch_that_has_no_place(self):
        code, text, said = self.run_weft("patch", self.write("file", "x\n"), self.write("diff", "@@ -1 +1 @@\n-a\n+b\n"))
        self.assertEqual((code, text, said), (1, "", "weft: no place for the hunk @@ -1 +1 @@\n"))

    def test_merge_tells_conflicts_by_its_exit_code(self):
        base, ours, theirs = (self.write(name, f"{name}\n") for name in ("base", "ours", "theirs"))
        self.assertEqual(self.run_weft("merge", base, ours, base), (0, "ours\n", ""))
        code, _, said = self.run_weft("merge", base, ours, theirs)
        self.assertEqual((code, said), (1, "weft: 1 conflicts\n"))

    def test_a_missing_file(self):
        self.assertEqual(self.run_weft("diff", "/nonexistent/a", "/nonexistent/b")[0], 2)
