import re


def solve(prompt):
    m = re.search(r'floors\s+(-?\d+)\s+to\s+(-?\d+)', prompt)
    low, high = int(m.group(1)), int(m.group(2))
    m = re.search(r'stands\s+at\s+floor\s+(-?\d+)\s+at\s+time\s+(\d+)', prompt)
    pos, t = int(m.group(1)), int(m.group(2))
    m = re.search(r'direction\s+is\s+(up|down)', prompt)
    d = 1 if m.group(1) == 'up' else -1
    m = re.search(r'needs\s+(\d+)\s+seconds?\s+to\s+move', prompt)
    move = int(m.group(1))
    m = re.search(r'stop\s+takes\s+(\d+)\s+second', prompt)
    stop = int(m.group(1))
    m = re.search(r'lift\s+waits\s+for\s+(\d+)\s+second', prompt)
    wait = int(m.group(1)) if m else 1
    waiting = []
    for m in re.finditer(r'appears\s+at\s+time\s+(\d+)\s+at\s+floor\s+(-?\d+)\s+and\s+wants\s+to\s+go\s+to\s+floor\s+(-?\d+)', prompt):
        waiting.append((int(m.group(1)), int(m.group(2)), int(m.group(3))))
    inside = []
    out = []
    last = t
    for _ in range(300000):
        wanted = set(p[1] for p in waiting if p[0] <= t) | set(p[2] for p in inside)
        if pos in wanted:
            t += stop
            out.append(pos)
            last = t
            inside = [p for p in inside if p[2] != pos]
            got = [p for p in waiting if p[1] == pos and p[0] <= t]
            waiting = [p for p in waiting if not (p[1] == pos and p[0] <= t)]
            inside += got
        elif any((f - pos) * d > 0 for f in wanted):
            pos += d
            t += move
        elif wanted:
            d = -d
            pos += d
            t += move
        elif waiting:
            t += wait
        else:
            return ' '.join(str(x) for x in out + [last])
    return None
