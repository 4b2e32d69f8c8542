import re


def read(prompt):
    points = {int(i): int(x) for i, x in re.findall(r"^(\d+): (-?\d+)$", prompt, re.M)}
    found = re.findall(r"^(\d+): \[(-?\d+), (-?\d+)\]$", prompt, re.M)
    return points, {int(i): (int(left), int(right)) for i, left, right in found}


def match(points, segments):
    """Serve points from left to right with the open segment that ends first."""
    pairs, left = [], dict(segments)
    for point, x in sorted(points.items(), key=lambda item: item[1]):
        usable = [i for i, (low, high) in left.items() if low <= x <= high]
        if usable:
            chosen = min(usable, key=lambda i: left[i][1])
            pairs.append((point, chosen))
            del left[chosen]
    return pairs


def solve(prompt):
    return "\n".join(f"{point} {segment}" for point, segment in match(*read(prompt)))


def accepts(prompt, answer):
    points, segments = read(prompt)
    lines = [line for line in answer.splitlines() if line.strip()]
    if not all(re.fullmatch(r"\s*\d+\s+\d+\s*", line) for line in lines):
        return False
    pairs = [tuple(map(int, line.split())) for line in lines]
    for column in zip(*pairs, strict=True):
        if len(set(column)) < len(column):
            return False
    for point, segment in pairs:
        if point not in points or segment not in segments:
            return False
        low, high = segments[segment]
        if not low <= points[point] <= high:
            return False
    return len(pairs) == len(match(points, segments))
