import re


def solve(prompt):
    m = re.search(r"The program:\s*\n(.*?)\n\s*\n\s*Where is the turtle", prompt, re.S)
    if not m:
        return None
    toks = re.findall(r"\d+|[FBLR]|\[|\]", m.group(1))
    # heading h: number of quarter turns to the right of north
    vec = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def turn(v, h):
        x, y = v
        for _ in range(h % 4):
            x, y = y, -x
        return x, y

    def then(a, b):
        dx, dy = turn((b[0], b[1]), a[2])
        return a[0] + dx, a[1] + dy, (a[2] + b[2]) % 4

    def power(a, n):
        res = (0, 0, 0)
        while n:
            if n & 1:
                res = then(res, a)
            a = then(a, a)
            n >>= 1
        return res

    stack = []
    cur = (0, 0, 0)
    i = 0
    while i < len(toks):
        t = toks[i]
        if t == "F":
            i += 1
            cur = then(cur, (0, int(toks[i]), 0))
        elif t == "B":
            i += 1
            cur = then(cur, (0, -int(toks[i]), 0))
        elif t == "L":
            cur = then(cur, (0, 0, 3))
        elif t == "R":
            cur = then(cur, (0, 0, 1))
        elif t == "]":
            before, n = stack.pop()
            cur = then(before, power(cur, n))
        else:
            n = int(t)
            i += 1
            if toks[i] != "[":
                return None
            stack.append((cur, n))
            cur = (0, 0, 0)
        i += 1
    if stack:
        return None
    return "%d %d %s" % (cur[0], cur[1], "NESW"[cur[2]])
