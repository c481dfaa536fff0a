import random
import unittest

from weft import HunkNotFound, apply_patch, parse_patch, unified_diff

BLOCK = "def check(value):\n    if value:\n        return None\n    raise ValueError\n\n"


def blocks(count, **changed):
    texts = [BLOCK] * count
    for name, text in changed.items():
        texts[int(name[1:])] = text
    return "".join(texts)


class EqualBlocks(unittest.TestCase):
    def apply(self, old, new, text, context=3):
        return apply_patch(text, parse_patch(unified_diff(old, new, context=context)))

    def test_later_hunks_go_to_their_own_block(self):
        longer = BLOCK.replace("    raise", "    log(value)\n    trace(value)\n    raise")
        for grown in (longer, BLOCK.replace("    if value:\n        return None\n", "")):
            new = blocks(8, b1=grown, b4=BLOCK.replace("None", "value"), b6=BLOCK.replace("ValueError", "TypeError"))
            self.assertEqual(self.apply(blocks(8), new, blocks(8), context=1).text, new)

    def test_hunks_of_the_file_itself_are_never_displaced(self):
        new = blocks(6, b0="import sys\n" + BLOCK, b3="", b5=BLOCK.replace("None", "0"))
        result = self.apply(blocks(6), new, blocks(6), context=1)
        self.assertEqual(result.text, new)
        self.assertEqual(set(result.offsets), {0})

    def test_lines_at_the_top_of_the_file_move_all_hunks(self):
        top = "import sys\n" * 2
        new = blocks(8, b1=BLOCK + "check(1)\n", b4=BLOCK.replace("None", "value"), b6=BLOCK.replace("None", "0"))
        result = self.apply(blocks(8), new, top + blocks(8))
        self.assertEqual(result.text, top + new)
        self.assertEqual(set(result.offsets), {2})

    def test_any_changes_of_any_text(self):
        chance = random.Random(7)
        for _ in range(2_000):
            old = [chance.choice("ab") + "\n" for _ in range(chance.randint(0, 20))]
            new = list(old)
            for _ in range(chance.randint(1, 4)):
                at = chance.randint(0, len(new))
                new[at : at + chance.randint(0, 2)] = [chance.choice("abx") + "\n" for _ in range(chance.randint(0, 3))]
            old_text, new_text = "".join(old), "".join(new)
            result = self.apply(old_text, new_text, old_text, context=chance.randint(0, 3))
            self.assertEqual(result.text, new_text)


class Fuzz(unittest.TestCase):
    OLD = "".join(f"{number}\n" for number in range(1, 12))
    PATCH = parse_patch(unified_diff(OLD, OLD.replace("6\n", "six\n")))

    def test_gives_up_two_lines_of_context(self):
        result = apply_patch(self.OLD.replace("4\n", "four\n"), self.PATCH)
        self.assertEqual(result.text, self.OLD.replace("4\n", "four\n").replace("6\n", "six\n"))
        self.assertEqual(result.fuzz, (2,))

    def test_never_gives_up_three(self):
        with self.assertRaises(HunkNotFound):
            apply_patch(self.OLD.replace("5\n", "five\n"), self.PATCH)


if __name__ == "__main__":
    unittest.main()
