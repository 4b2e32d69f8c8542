import re


def solve(prompt):
    places = {}
    for p, t in re.findall(r'^place (\d+): (.+?)\s*$', prompt, re.M):
        places[int(p)] = [] if t == '-' else t.split()
    n = len(places)
    if n == 0 or sorted(places) != list(range(1, n + 1)):
        return None

    def find(c):
        for p in places:
            if c in places[p]:
                return p, places[p].index(c)
        raise ValueError(c)

    def run(s):
        s = s.strip().rstrip('.')
        s = s[:1].lower() + s[1:]

        m = re.fullmatch(r'if the (\S+) block has (more|fewer) blocks below it than the (\S+) block, '
                         r'(.+?); otherwise (.+)', s)
        if m:
            a, b = find(m.group(1))[1], find(m.group(3))[1]
            cond = a > b if m.group(2) == 'more' else a < b
            run(m.group(4) if cond else m.group(5))
            return
        m = re.fullmatch(r'move the (\S+) block together with all blocks above it to place (\d+)', s)
        if m:
            p, i = find(m.group(1))
            moved = places[p][i:]
            del places[p][i:]
            places[int(m.group(2))].extend(moved)
            return
        m = re.fullmatch(r'move only the (\S+) block to place (\d+)', s)
        if m:
            p, i = find(m.group(1))
            places[int(m.group(2))].append(places[p].pop(i))
            return
        m = re.fullmatch(r'move the top block of place (\d+) to place (\d+)', s)
        if m:
            src = places[int(m.group(1))]
            if src:
                places[int(m.group(2))].append(src.pop())
            return
        m = re.fullmatch(r'exchange the whole towers on places (\d+) and (\d+)', s)
        if m:
            p, q = int(m.group(1)), int(m.group(2))
            places[p], places[q] = places[q], places[p]
            return
        m = re.fullmatch(r'exchange the (\S+) block and the (\S+) block', s)
        if m:
            p, i = find(m.group(1))
            q, j = find(m.group(2))
            places[p][i], places[q][j] = m.group(2), m.group(1)
            return
        m = re.fullmatch(r'turn the tower on place (\d+) upside down', s)
        if m:
            places[int(m.group(1))].reverse()
            return
        m = re.fullmatch(r'take the lowest block of the tower that contains the (\S+) block '
                         r'and put it on top of that same tower', s)
        if m:
            t = places[find(m.group(1))[0]]
            t.append(t.pop(0))
            return
        raise ValueError(s)

    try:
        for s in re.findall(r'^\d+\. (.+?)\s*$', prompt, re.M):
            run(s)
    except (ValueError, KeyError):
        return None
    return ' | '.join(' '.join(places[p]) or '-' for p in range(1, n + 1))
