import re


def solve(prompt):
    procs = [tuple(map(int, t)) for t in
             re.findall(r"(?m)^\s*Process (\d+): arrives at time (\d+), needs (\d+)\s*$", prompt)]
    m = re.search(r"it runs for (\d+) units? of time", prompt)
    if not procs or not m:
        return None
    slice_ = int(m.group(1))
    need = {p: n for p, a, n in procs}
    arrivals = sorted((a, p) for p, a, n in procs)
    done = {}
    queue = []
    t = 0
    nxt = 0
    while len(done) < len(procs):
        while nxt < len(arrivals) and arrivals[nxt][0] <= t:
            queue.append(arrivals[nxt][1])
            nxt += 1
        if not queue:
            t = arrivals[nxt][0]
            continue
        p = queue.pop(0)
        run = min(slice_, need[p])
        t += run
        need[p] -= run
        while nxt < len(arrivals) and arrivals[nxt][0] <= t:
            queue.append(arrivals[nxt][1])
            nxt += 1
        if need[p] > 0:
            queue.append(p)
        else:
            done[p] = t
    return " ".join(str(done[p]) for p in sorted(done))
