import re
import itertools


def decode(bits, code, n):
    """The message of exactly n letters with only zeros after it, or None."""
    back = {v: k for k, v in code.items()}
    pos = 0
    msg = []
    longest = max(len(v) for v in back)
    for _ in range(n):
        for k in range(1, longest + 1):
            piece = bits[pos:pos + k]
            if len(piece) == k and piece in back:
                msg.append(back[piece])
                pos += k
                break
        else:
            return None
    if '1' in bits[pos:]:
        return None
    return ''.join(msg)


def repairs(grid):
    """All fillings of the ? with even rows and columns."""
    height = len(grid)
    width = len(grid[0])
    unknown = [(r, c) for r in range(height) for c in range(width) if grid[r][c] == '?']
    index = {p: i for i, p in enumerate(unknown)}
    k = len(unknown)
    lines = [[(r, c) for c in range(width)] for r in range(height)]
    lines += [[(r, c) for r in range(height)] for c in range(width)]
    # equations as bit masks, bit k is the right side
    pivots = {}
    for line in lines:
        eq = 0
        for p in line:
            if p in index:
                eq ^= 1 << index[p]
            elif grid[p[0]][p[1]] == '1':
                eq ^= 1 << k
        for i in range(k):
            if eq >> i & 1 and i in pivots:
                eq ^= pivots[i]
        low = eq & ((1 << k) - 1)
        if low == 0:
            if eq:
                return []
            continue
        i = (low & -low).bit_length() - 1
        for j in list(pivots):
            if pivots[j] >> i & 1:
                pivots[j] ^= eq
        pivots[i] = eq
    free = [i for i in range(k) if i not in pivots]
    if len(free) > 13:
        return None
    result = []
    for choice in itertools.product((0, 1), repeat=len(free)):
        val = dict(zip(free, choice))
        for i, eq in pivots.items():
            v = eq >> k & 1
            for j in free:
                if eq >> j & 1:
                    v ^= val[j]
            val[i] = v
        rows = [list(row) for row in grid]
        for (r, c), i in index.items():
            rows[r][c] = str(val[i])
        result.append([''.join(row) for row in rows])
    return result


def solve(prompt: str):
    m = re.search(r'exactly (\d+) letters?', prompt)
    size = re.search(r'(\d+) rows? and (\d+) columns?', prompt)
    code = dict(re.findall(r'^\s*([A-Z]) ([01]+)\s*$', prompt, re.M))
    grid = re.findall(r'^\s*([01?]+)\s*$', prompt, re.M)
    if m is None or size is None or not code:
        return None
    n = int(m.group(1))
    rows = int(size.group(1))
    cols = int(size.group(2))
    if len(grid) != rows + 1 or any(len(g) != cols + 1 for g in grid):
        return None
    found = repairs(grid)
    if not found:
        return None
    messages = set()
    for full in found:
        if any(r.count('1') % 2 for r in full):
            return None
        if any(sum(r[c] == '1' for r in full) % 2 for c in range(cols + 1)):
            return None
        bits = ''.join(r[:cols] for r in full[:rows])
        msg = decode(bits, code, n)
        if msg is not None:
            messages.add(msg)
    if len(messages) != 1:
        return None
    return messages.pop()
