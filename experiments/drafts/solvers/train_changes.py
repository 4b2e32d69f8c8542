import re


def minutes(s):
    h, m = s.split(":")
    return int(h) * 60 + int(m)


def solve(prompt):
    lines = re.findall(
        r"(?m)^\s*Line \d+: (.+?); first train (\d+:\d+), then every (\d+) minutes?\s*$", prompt)
    m = re.search(r"A passenger is in town (\w+) at (\d+:\d+) and wants to reach town (\w+)", prompt)
    c = re.search(r"at least (\d+) minutes? must lie", prompt)
    if not lines or not m or not c:
        return None
    last = re.search(r"leaves its first town at (\d+:\d+) or before", prompt)
    last = minutes(last.group(1)) if last else 20 * 60
    stand = re.search(r"stands for exactly (\d+) minute", prompt)
    stand = int(stand.group(1)) if stand else 1
    start, begin, goal = m.group(1), minutes(m.group(2)), m.group(3)
    change = int(c.group(1))
    if start == goal:
        return "%02d:%02d" % (begin // 60 % 24, begin % 60)
    rides = []
    trip = 0
    for route, first, every in lines:
        towns = re.split(r"\s*-\d+->\s*", route)
        legs = [int(x) for x in re.findall(r"-(\d+)->", route)]
        if len(towns) != len(legs) + 1:
            return None
        t0 = minutes(first)
        every = int(every)
        while t0 <= last:
            t = t0
            for i, leg in enumerate(legs):
                rides.append((t, t + leg, trip, i, towns[i].strip(), towns[i + 1].strip()))
                t += leg + stand
            trip += 1
            t0 += every
    rides.sort()
    ready = {start: begin}      # from when on one can board a train in a town
    inside = set()              # trains in which the passenger can be
    best = None
    for dep, arr, tr, i, a, b in rides:
        if tr in inside or (a in ready and ready[a] <= dep):
            inside.add(tr)
            if b == goal:
                if best is None or arr < best:
                    best = arr
            if b not in ready or arr + change < ready[b]:
                ready[b] = arr + change
    if best is None:
        return None
    return "%02d:%02d" % (best // 60 % 24, best % 60)
