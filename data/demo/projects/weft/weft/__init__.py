"""Line diffs: make, apply, merge."""

from .apply import ApplyResult, apply_patch
from .edits import Edit, edits
from .errors import HunkNotFound, PatchSyntaxError, WeftError
from .merge import Conflict, MergeResult, merge
from .unified import Hunk, parse_patch, reverse, unified_diff

__all__ = [
    "ApplyResult", "Conflict", "Edit", "Hunk", "HunkNotFound", "MergeResult", "PatchSyntaxError", "WeftError",
    "apply_patch", "edits", "merge", "parse_patch", "reverse", "unified_diff",
]
