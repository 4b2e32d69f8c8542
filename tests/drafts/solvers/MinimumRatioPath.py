import re
from fractions import Fraction
from itertools import pairwise


def read(prompt):
    edges = [tuple(map(int, e)) for e in re.findall(r"^\((\d+), (\d+), (\d+)\)$", prompt, re.M)]
    return edges, int(re.search(r"from vertex 0 to vertex (\d+)", prompt)[1])


def path(edges, low, high, end):
    came, queue = {0: None}, [0]
    for u in queue:
        for a, b, w in edges:
            if low <= w <= high and u in (a, b):
                v = a + b - u
                if v not in came:
                    came[v] = u
                    queue.append(v)
    if end not in came:
        return None
    walk = [end]
    while came[walk[-1]] is not None:
        walk.append(came[walk[-1]])
    return walk[::-1]


def best(edges, end):
    weights = sorted({w for _, _, w in edges})
    found = None
    high = 0
    for low in weights:  # as the lowest weight grows, so does the lowest highest one
        while high < len(weights) and (
            weights[high] < low or path(edges, low, weights[high], end) is None
        ):
            high += 1
        if high == len(weights):
            break
        ratio = Fraction(weights[high], low)
        if found is None or ratio < found[0]:
            found = ratio, path(edges, low, weights[high], end)
    return found


def solve(prompt):
    return " ".join(map(str, best(*read(prompt))[1]))


def accepts(prompt, answer):
    edges, end = read(prompt)
    if not all(re.fullmatch(r"\d+", word) for word in answer.split()):
        return False
    walk = [int(word) for word in answer.split()]
    weights = {frozenset(edge[:2]): edge[2] for edge in edges}
    steps = [frozenset(step) for step in pairwise(walk)]
    if len(walk) < 2 or walk[0] != 0 or walk[-1] != end or not all(s in weights for s in steps):
        return False
    used = [weights[step] for step in steps]
    return Fraction(max(used), min(used)) == best(edges, end)[0]
