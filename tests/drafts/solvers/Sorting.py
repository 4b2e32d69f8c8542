import re


def solve(prompt):
    row = next(line for line in prompt.splitlines() if re.fullmatch(r"-?\d+( -?\d+)+", line))
    return " ".join(map(str, sorted(map(int, row.split()))))
