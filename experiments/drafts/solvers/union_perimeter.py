import re


def solve(prompt):
    rects = []
    for line in prompt.split("\n"):
        if re.fullmatch(r"\s*-?\d+\s+-?\d+\s+-?\d+\s+-?\d+\s*", line):
            rects.append(tuple(map(int, line.split())))
    if not rects:
        return None
    xs = sorted({v for r in rects for v in (r[0], r[2])})
    ys = sorted({v for r in rects for v in (r[1], r[3])})
    ix = {v: i for i, v in enumerate(xs)}
    iy = {v: i for i, v in enumerate(ys)}
    cov = set()
    for x1, y1, x2, y2 in rects:
        for i in range(ix[x1], ix[x2]):
            for j in range(iy[y1], iy[y2]):
                cov.add((i, j))
    total = 0
    for i, j in cov:
        w = xs[i + 1] - xs[i]
        h = ys[j + 1] - ys[j]
        if (i - 1, j) not in cov:
            total += h
        if (i + 1, j) not in cov:
            total += h
        if (i, j - 1) not in cov:
            total += w
        if (i, j + 1) not in cov:
            total += w
    return str(total)
