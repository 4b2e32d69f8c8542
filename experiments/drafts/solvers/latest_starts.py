import re


def solve(prompt):
    acts = {}
    pattern = r'^activity (\d+): duration (\d+), predecessors: (none|\d+(?:, *\d+)*)\s*$'
    for m in re.finditer(pattern, prompt, re.M):
        pre = [] if m.group(3) == 'none' else [int(x) for x in re.findall(r'\d+', m.group(3))]
        acts[int(m.group(1))] = (int(m.group(2)), pre)
    n = len(acts)
    if n == 0 or sorted(acts) != list(range(1, n + 1)):
        return None
    # an order in which predecessors come first
    order, done = [], set()
    while len(order) < n:
        ready = [i for i in range(1, n + 1)
                 if i not in done and all(p in done for p in acts[i][1])]
        if not ready:
            return None
        for i in ready:
            order.append(i)
            done.add(i)
    finish = {}
    for i in order:
        finish[i] = max([finish[p] for p in acts[i][1]], default=0) + acts[i][0]
    end = max(finish.values())
    late = {i: end - acts[i][0] for i in acts}
    for i in reversed(order):
        for p in acts[i][1]:
            late[p] = min(late[p], late[i] - acts[p][0])
    return ' '.join(str(late[i]) for i in range(1, n + 1))
