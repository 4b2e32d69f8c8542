import re
from math import gcd


def solve(prompt):
    c = [(int(x), int(y)) for x, y in
         re.findall(r"(?m)^\s*[ABC] = \((-?\d+),\s*(-?\d+)\)\s*$", prompt)]
    if len(c) != 3:
        return None
    (ax, ay), (bx, by), (cx, cy) = c
    area2 = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    if area2 == 0:
        return "0"
    border = 0
    for i in range(3):
        p, q = c[i], c[(i + 1) % 3]
        border += gcd(abs(p[0] - q[0]), abs(p[1] - q[1]))
    # Pick: area2 = 2 * inside + border - 2
    return str((area2 - border + 2) // 2)
