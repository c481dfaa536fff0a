def split_lines(text):
    """Lines with their ends. Only \\n ends a line, so that a file with \\r\\n survives a round trip."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def join_lines(lines):
    return "".join(lines)
