"""The greedy algorithm of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986)."""


def matches(old, new):
    """Pairs (i, j) with old[i] == new[j], ascending in both, as many as there can be."""
    head = 0
    while head < len(old) and head < len(new) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < len(old) - head and tail < len(new) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    return (
        [(at, at) for at in range(head)]
        + [(i + head, j + head) for i, j in middle]
        + [(len(old) - tail + at, len(new) - tail + at) for at in range(tail)]
    )


def _middle(old, new):
    if not old or not new:
        return []
    furthest = {1: 0}
    steps = []
    for distance in range(len(old) + len(new) + 1):
        steps.append(dict(furthest))
        for diagonal in range(-distance, distance + 1, 2):
            down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walk_back(steps, len(old), len(new))
    raise AssertionError("two sequences always have a difference")


def _walk_back(steps, x, y):
    pairs = []
    for distance in range(len(steps) - 1, -1, -1):
        furthest = steps[distance]
        diagonal = x - y
        down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        start_x = furthest[before] if before in furthest else 0
        start_y = start_x - before
        while x > max(start_x, 0) and y > max(start_y, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start_x, start_y
    pairs.reverse()
    return pairs
