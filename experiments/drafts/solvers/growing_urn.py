import re
from fractions import Fraction


def facts(text, colours):
    """Draw -> colour for phrases like 'the ball of draw 3 is blue'."""
    found = {}
    for d, c in re.findall(r'ball of draw (\d+) is (\w+)', text):
        if c not in colours:
            return None
        d = int(d)
        if d in found and found[d] != c:
            return None
        found[d] = c
    if len(found) != len(re.findall(r'draws? \d', text)):
        return None
    return found


def probability(start, new, fixed):
    """Probability that every draw in fixed has its colour (by index)."""
    last = max(fixed)
    states = {tuple(0 for _ in start): Fraction(1)}
    for draw in range(1, last + 1):
        after = {}
        for drawn, p in states.items():
            balls = [start[i] + new[i] * drawn[i] for i in range(len(start))]
            total = sum(balls)
            for i, b in enumerate(balls):
                if b == 0 or (draw in fixed and fixed[draw] != i):
                    continue
                nxt = drawn[:i] + (drawn[i] + 1,) + drawn[i + 1:]
                after[nxt] = after.get(nxt, 0) + p * Fraction(b, total)
        states = after
        if len(states) > 20000:
            return None
    return sum(states.values(), Fraction(0))


def solve(prompt: str):
    rows = re.findall(r'^\s*(\w+): (\d+) at the start; (\d+) new (\w+) whenever an? (\w+) ball is drawn', prompt, re.M)
    if not rows:
        return None
    colours = [r[0] for r in rows]
    if any(r[3] != r[0] or r[4] != r[0] for r in rows):
        return None
    start = [int(r[1]) for r in rows]
    new = [int(r[2]) for r in rows]
    m = re.search(r'(It is known that[^?]*?)(What is the conditional probability, given this, that[^?]*)\?', prompt)
    if m:
        known = facts(m.group(1), colours)
        asked = facts(m.group(2), colours)
        if not known:
            return None
    else:
        m = re.search(r'Nothing is known[^?]*?(What is the probability that[^?]*)\?', prompt)
        if m is None:
            return None
        known = {}
        asked = facts(m.group(1), colours)
    if not asked:
        return None
    num = {d: colours.index(c) for d, c in known.items()}
    both = dict(num)
    for d, c in asked.items():
        i = colours.index(c)
        if d in both and both[d] != i:
            return None
        both[d] = i
    top = probability(start, new, both)
    low = probability(start, new, num) if num else Fraction(1)
    if top is None or low is None or low == 0:
        return None
    p = top / low
    return '%d/%d' % (p.numerator, p.denominator)
