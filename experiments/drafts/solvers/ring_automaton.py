import re


def solve(prompt):
    rm = re.search(r'rule number (\d+)', prompt)
    tm = re.search(r'^([01]+)\s*$', prompt, re.M)
    sm = re.search(r'after exactly (\d+) step', prompt)
    if not (rm and tm and sm):
        return None
    rule, steps = int(rm.group(1)), int(sm.group(1))
    row = [int(c) for c in tm.group(1)]
    n = len(row)
    if n * steps > 3000000:
        return None
    for _ in range(steps):
        row = [rule >> (4 * row[i - 1] + 2 * row[i] + row[(i + 1) % n]) & 1 for i in range(n)]
    return ''.join(map(str, row))
