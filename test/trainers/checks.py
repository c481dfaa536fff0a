"""Checks that all run, whatever breaks, and say what they have counted."""

import time
import traceback


class Checks:
    """`run` prints one line per check: what it counted if it holds, where it broke if not."""

    def __init__(self):
        self.held = 0
        self.broken = 0

    def run(self, name, check, *arguments):
        """`check` returns what it counted, as text, or raises."""
        started = time.monotonic()
        try:
            counted = check(*arguments)
        except Exception:
            self.broken += 1
            print(f"  BROKEN  {name}\n{traceback.format_exc(limit=-4)}", flush=True)
        else:
            self.held += 1
            print(f"  ok      {name}: {counted} ({time.monotonic() - started:.1f} s)", flush=True)


def equal(found, expected, what):
    """Raises unless both are the same; shows the beginning of both."""
    if found != expected:
        raise AssertionError(f"{what}: expected {str(expected)[:300]}, found {str(found)[:300]}")


def counted(number, noun):
    """A number with its noun. None of them is a failure: a check that looked at nothing holds nothing."""
    if number == 0:
        raise AssertionError(f"expected some {noun}, found none")
    return f"{number:,} {noun}"
