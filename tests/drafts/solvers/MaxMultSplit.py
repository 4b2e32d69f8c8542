import re


def read(prompt):
    digits = next(line for line in prompt.splitlines() if re.fullmatch(r"\d+", line.strip()))
    return digits.strip(), int(re.search(r"exactly (\d+) non-empty", prompt)[1])


def best(digits, parts):
    table = {(0, 0): (1, [])}
    for used in range(1, parts + 1):
        for end in range(used, len(digits) + 1):
            ways = [
                (
                    table[used - 1, i][0] * int(digits[i:end]),
                    [*table[used - 1, i][1], digits[i:end]],
                )
                for i in range(used - 1, end)
                if (used - 1, i) in table
            ]
            if ways:
                table[used, end] = max(ways, key=lambda way: way[0])
    return table[parts, len(digits)]


def solve(prompt):
    return " ".join(best(*read(prompt))[1])


def accepts(prompt, answer):
    digits, parts = read(prompt)
    given = answer.split()
    if len(given) != parts or "".join(given) != digits:
        return False
    product = 1
    for part in given:
        product *= int(part)
    return product == best(digits, parts)[0]
