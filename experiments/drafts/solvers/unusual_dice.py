import re
from fractions import Fraction


def solve(prompt: str):
    dice = [[int(x) for x in re.findall(r'-?\d+', rest)]
            for rest in re.findall(r'^\s*die \d+:([^\n]*)$', prompt, re.M)]
    n = re.search(r'There (?:are|is) (\d+) fair', prompt)
    m = re.search(r'What is the probability that the sum of the \d+ thrown numbers is '
                  r'strictly (larger|smaller) than (-?\d+)\?', prompt)
    if n is None or m is None or len(dice) != int(n.group(1)) or not all(dice):
        return None
    ways = {0: 1}
    total = 1
    for die in dice:
        new = {}
        for s, c in ways.items():
            for x in die:
                new[s + x] = new.get(s + x, 0) + c
        ways = new
        total *= len(die)
    bound = int(m.group(2))
    if m.group(1) == 'larger':
        good = sum(c for s, c in ways.items() if s > bound)
    else:
        good = sum(c for s, c in ways.items() if s < bound)
    p = Fraction(good, total)
    return '%d/%d' % (p.numerator, p.denominator)
