import re


def solve(prompt):
    sm = re.search(r'A cache has (\d+) set', prompt)
    wm = re.search(r'room for (\d+) block', prompt)
    bm = re.search(r'divided by (\d+)', prompt)
    am = re.search(r'accesses, in order:\s*((?:\d+\s+)+)', prompt)
    if not (sm and wm and bm and am):
        return None
    nsets, ways, size = int(sm.group(1)), int(wm.group(1)), int(bm.group(1))
    sets = [[] for _ in range(nsets)]   # least recently used first
    out = []
    for i, a in enumerate(map(int, am.group(1).split()), 1):
        b = a // size
        s = sets[b % nsets]
        if b in s:
            s.remove(b)
        else:
            out.append(i)
            if len(s) == ways:
                s.pop(0)
        s.append(b)
    return ' '.join(map(str, out))
