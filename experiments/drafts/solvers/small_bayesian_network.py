import re
from fractions import Fraction


def facts(text):
    found = {}
    for v, val in re.findall(r'\b([A-Z]) is (yes|no)\b', text):
        if v in found and found[v] != (val == 'yes'):
            return None
        found[v] = val == 'yes'
    return found


def solve(prompt: str):
    names = []
    parents = {}
    table = {}
    current = None
    body = prompt.split('The joint probability', 1)[0]
    for line in body.split('\n'):
        line = line.strip()
        m = re.fullmatch(r'([A-Z]): yes with probability (\d+(?:/\d+)?)', line)
        if m:
            current = m.group(1)
            names.append(current)
            parents[current] = []
            table[current] = {(): Fraction(m.group(2))}
            continue
        m = re.fullmatch(r'([A-Z]) \(parents? ([A-Z, ]+)\): yes with probability', line)
        if m:
            current = m.group(1)
            names.append(current)
            parents[current] = re.findall('[A-Z]', m.group(2))
            table[current] = {}
            continue
        m = re.fullmatch(r'- (\d+(?:/\d+)?) if (.*)', line)
        if m:
            conds = dict(re.findall(r'([A-Z]) = (yes|no)', m.group(2)))
            if sorted(conds) != sorted(parents[current]):
                return None
            table[current][tuple(conds[p] == 'yes' for p in parents[current])] = Fraction(m.group(1))
    n = re.search(r'There are (\d+) random variables', prompt)
    if n is None or int(n.group(1)) != len(names):
        return None
    if any(len(table[v]) != 2 ** len(parents[v]) for v in names):
        return None

    m = re.search(r'(It is known that[^?]*?)(What is the conditional probability, given this, that[^?]*)\?', prompt)
    if m:
        known = facts(m.group(1))
        asked = facts(m.group(2))
        if not known:
            return None
    else:
        m = re.search(r'(What is the probability that[^?]*)\?', prompt)
        if m is None:
            return None
        known = {}
        asked = facts(m.group(1))
    if not asked or ' or ' in m.group(0):
        return None

    # parents before children; only the variables that matter (the asked and
    # known ones and all their ancestors) are summed over
    need = set()
    stack = list(known) + list(asked)
    while stack:
        v = stack.pop()
        if v not in need:
            need.add(v)
            stack.extend(parents[v])
    order = []
    while len(order) < len(need):
        ready = [v for v in names if v in need and v not in order and all(p in order for p in parents[v])]
        if not ready:
            return None
        order.append(ready[0])
    if len([v for v in order if v not in known]) > 14:
        return None

    def total(i, values):
        if i == len(order):
            good = all(values[v] == b for v, b in asked.items())
            return (Fraction(1), Fraction(1 if good else 0))
        v = order[i]
        p = table[v][tuple(values[q] for q in parents[v])]
        low = Fraction(0)
        top = Fraction(0)
        for b, w in ((True, p), (False, 1 - p)):
            if w == 0 or (v in known and known[v] != b):
                continue
            values[v] = b
            x, y = total(i + 1, values)
            low += w * x
            top += w * y
            del values[v]
        return (low, top)

    low, top = total(0, {})
    if low == 0:
        return None
    p = top / low
    return '%d/%d' % (p.numerator, p.denominator)
