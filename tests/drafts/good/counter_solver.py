import re

WRONG = [(0, 0, ""), (3, 1, "-1"), (5, 2, "1000000")]


def solve(prompt):
    value = int(re.search(r"starts at (\d+)", prompt)[1])
    modulus = int(re.search(r"division by (\d+)", prompt)[1])
    program = re.search(r"program is\s+(.+?)\s+and is carried", prompt, re.DOTALL)[1]
    for step in program.split(","):
        word, *rest = step.split()
        k = int(rest[0]) if rest else 0
        if word == "PLUS":
            value += k
        elif word == "MINUS":
            value -= k
        elif word == "TIMES":
            value *= k
        else:
            value //= 2
        value %= modulus
    return str(value)
