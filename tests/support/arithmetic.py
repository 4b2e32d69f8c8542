"""Numbers that are combined in all ways, for brute forces."""


def results(numbers, allowed=lambda value: True):
    """Of combining two numbers to one that is allowed, again and again, until one is left."""
    if len(numbers) == 1:
        return {numbers[0]}
    found = set()
    for i, a in enumerate(numbers):
        for j, b in enumerate(numbers):
            if i != j:
                rest = [v for k, v in enumerate(numbers) if k not in (i, j)]
                for value in ([a + b, a * b] if i < j else []) + [a - b, *([a / b] if b else [])]:
                    if allowed(value):
                        found |= results([*rest, value], allowed)
    return found
