class WeftError(Exception):
    """Whatever goes wrong with the input."""


class PatchSyntaxError(WeftError):
    def __init__(self, line_number, message):
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number


class HunkNotFound(WeftError):
    def __init__(self, hunk):
        super().__init__(f"no place for the hunk {hunk.header()}")
        self.hunk = hunk
