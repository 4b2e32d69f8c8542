import re


def solve(prompt):
    m = re.search(r'divided into (\d+) rows? and (\d+) columns?', prompt)
    if not m:
        return None
    r, c = int(m.group(1)), int(m.group(2))
    folds = re.findall(r'^(left|right|top|bottom) (\d+)\s*$', prompt, re.M)
    holes = [(int(a), int(b)) for a, b in re.findall(r'^row (\d+), column (\d+)\s*$', prompt, re.M)]
    grid = [[[(i, j)] for j in range(1, c + 1)] for i in range(1, r + 1)]

    def top(g, k):
        if 2 * k > len(g):
            raise ValueError('fold too large')
        new = [[list(x) for x in row] for row in g[k:]]
        for d in range(k):          # row k-d (from 1) lies on row k+1+d
            for j, layers in enumerate(g[k - 1 - d]):
                new[d][j] += layers
        return new

    def transpose(g):
        return [list(row) for row in zip(*g)]

    try:
        for side, k in folds:
            k = int(k)
            if side == 'top':
                grid = top(grid, k)
            elif side == 'bottom':
                grid = top(grid[::-1], k)[::-1]
            elif side == 'left':
                grid = transpose(top(transpose(grid), k))
            else:
                grid = transpose(top(transpose(grid)[::-1], k)[::-1])
        found = set()
        for a, b in holes:
            found.update(grid[a - 1][b - 1])
    except (ValueError, IndexError):
        return None
    return ' '.join('%d,%d' % x for x in sorted(found))
