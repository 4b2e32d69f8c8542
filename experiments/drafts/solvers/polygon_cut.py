import re
from fractions import Fraction


def solve(prompt):
    pts = [(int(a), int(b)) for a, b in
           re.findall(r"(?m)^\s*\((-?\d+),\s*(-?\d+)\)\s*$", prompt)]
    m = re.search(r"P = \((-?\d+),\s*(-?\d+)\) and Q = \((-?\d+),\s*(-?\d+)\)", prompt)
    if not m or len(pts) < 3:
        return None
    px, py, qx, qy = map(int, m.groups())

    def side(p):
        return (qx - px) * (p[1] - py) - (qy - py) * (p[0] - px)

    out = []
    n = len(pts)
    for i in range(n):
        a, b = pts[i], pts[(i + 1) % n]
        sa, sb = side(a), side(b)
        if sa >= 0:
            out.append(a)
        if (sa > 0 and sb < 0) or (sa < 0 and sb > 0):
            t = Fraction(sa, sa - sb)
            out.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    s = 0
    for i in range(len(out)):
        a, b = out[i], out[(i + 1) % len(out)]
        s += a[0] * b[1] - a[1] * b[0]
    s = abs(Fraction(s))
    if s.denominator != 1:
        return None
    return str(s.numerator)
