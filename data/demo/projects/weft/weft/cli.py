import argparse
import sys
from pathlib import Path

from .apply import apply_patch
from .errors import WeftError
from .merge import merge
from .unified import parse_patch, reverse, unified_diff


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main(arguments, out=sys.stdout, err=sys.stderr):
    parser = argparse.ArgumentParser(prog="weft")
    commands = parser.add_subparsers(dest="command", required=True)
    diff = commands.add_parser("diff")
    diff.add_argument("old")
    diff.add_argument("new")
    diff.add_argument("-U", "--context", type=int, default=3)
    patch = commands.add_parser("patch")
    patch.add_argument("file")
    patch.add_argument("diff")
    patch.add_argument("-R", "--reverse", action="store_true")
    patch.add_argument("-v", "--verbose", action="store_true")
    merging = commands.add_parser("merge")
    for name in ("base", "ours", "theirs"):
        merging.add_argument(name)
    options = parser.parse_args(arguments)
    try:
        return {"diff": run_diff, "patch": run_patch, "merge": run_merge}[options.command](options, out, err)
    except (WeftError, OSError) as error:
        print(f"weft: {error}", file=err)
        return 2 if isinstance(error, OSError) else 1


def run_diff(options, out, err):
    text = unified_diff(read(options.old), read(options.new), options.old, options.new, options.context)
    out.write(text)
    return 1 if text else 0


def run_patch(options, out, err):
    hunks = parse_patch(read(options.diff))
    if options.reverse:
        hunks = reverse(hunks)
    result = apply_patch(read(options.file), hunks)
    if options.verbose:
        for hunk, offset, fuzz in zip(hunks, result.offsets, result.fuzz):
            print(f"{hunk.header()} offset {offset}, fuzz {fuzz}", file=err)
    out.write(result.text)
    return 0


def run_merge(options, out, err):
    names = (Path(options.ours).name, Path(options.theirs).name)
    result = merge(read(options.base), read(options.ours), read(options.theirs), names)
    out.write(result.text)
    if result.conflicts:
        print(f"weft: {len(result.conflicts)} conflicts", file=err)
    return 1 if result.conflicts else 0
