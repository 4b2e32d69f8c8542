import re
from itertools import combinations


def read(prompt):
    row = next(line for line in prompt.splitlines() if re.fullmatch(r"\s*\d+( \d+)+\s*", line))
    count, total = re.search(r"exactly (\d+) different boxes that weigh (\d+)", prompt).groups()
    return [int(word) for word in row.split()], int(count), int(total)


def solve(prompt):
    weights, count, total = read(prompt)
    for picked in combinations(range(len(weights)), count):
        if sum(weights[i] for i in picked) == total:
            return " ".join(map(str, picked))
    return None


def accepts(prompt, answer):
    weights, count, total = read(prompt)
    if not all(re.fullmatch(r"\d+", word) for word in answer.split()):
        return False
    picked = [int(word) for word in answer.split()]
    if len(picked) != count or len(set(picked)) != count or max(picked) >= len(weights):
        return False
    return sum(weights[i] for i in picked) == total
