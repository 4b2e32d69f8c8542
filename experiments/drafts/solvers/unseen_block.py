import re


def solve(prompt):
    m = re.search(r'has (\d+) rows? and (\d+) columns?', prompt)
    if not m:
        return None
    r, c = int(m.group(1)), int(m.group(2))
    g = [list(map(int, ln.split())) for ln in re.findall(r'^(\d+(?: +\d+)*)\s*$', prompt, re.M)]
    if len(g) != r or any(len(row) != c for row in g):
        return None
    rowmax = [max(row) for row in g]
    colmax = [max(col) for col in zip(*g)]
    return ' '.join(
        str(sum(1 for j in range(c) if g[i][j] + 1 <= rowmax[i] and g[i][j] + 1 <= colmax[j]))
        for i in range(r))
