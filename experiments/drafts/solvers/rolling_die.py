import re


def solve(prompt):
    f = {}
    for name in ("top", "bottom", "north", "south", "east", "west"):
        m = re.search(r"(?m)^\s*%s: (-?\d+)\s*$" % name, prompt)
        if not m:
            return None
        f[name] = int(m.group(1))
    m = re.search(r"starts on the cell in row (\d+), column (\d+)", prompt)
    if not m:
        return None
    r, c = int(m.group(1)), int(m.group(2))
    m = re.search(r"The moves, in order:\s*([NSEW\s]+?)\s*\n\s*\n", prompt)
    if not m:
        return None
    # a rolls to the bottom, the bottom to b, b to the top, the top to a
    roll = {"N": ("north", "south", -1, 0), "S": ("south", "north", 1, 0),
            "E": ("east", "west", 0, 1), "W": ("west", "east", 0, -1)}
    marks = {(r, c): f["bottom"]}
    for mv in m.group(1):
        if mv not in roll:
            continue
        a, b, dr, dc = roll[mv]
        f["bottom"], f[b], f["top"], f[a] = f[a], f["bottom"], f[b], f["top"]
        r += dr
        c += dc
        marks[(r, c)] = f["bottom"]
    return str(sum(marks.values()))
