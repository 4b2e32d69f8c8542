import re


def solve(prompt):
    rules = {}
    for q, s, wr, mv, nx in re.findall(r'^([A-Z]) (\d): (\d) ([LR]) ([A-Z])\s*$', prompt, re.M):
        rules[q, s] = (wr, 1 if mv == 'R' else -1, nx)
    tm = re.search(r'^(\d+)\s*$', prompt, re.M)
    hm = re.search(r'head is at cell (\d+), and the state is ([A-Z])\b', prompt)
    sm = re.search(r'makes exactly (\d+) steps?', prompt)
    if not (rules and tm and hm and sm):
        return None
    tape = list(tm.group(1))
    n = len(tape)
    pos, state, steps = int(hm.group(1)), hm.group(2), int(sm.group(1))
    if steps > 2000000:
        return None
    for _ in range(steps):
        rule = rules.get((state, tape[pos]))
        if rule is None:
            return None
        tape[pos] = rule[0]
        pos = (pos + rule[1]) % n
        state = rule[2]
    return ''.join(tape)
