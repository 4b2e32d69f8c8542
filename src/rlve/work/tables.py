"""Tables filled row by row, and the values of positions in games."""

from collections.abc import Iterable, Sequence

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.arithmetic import bitwise
from rlve.work.lists import show_sum, split_powers
from rlve.work.mental import is_easy


def xor_all(values: Sequence[int]) -> Work[int]:
    """The XOR of numbers, as a running value; that of none is 0."""
    so_far, easy = 0, list[str]()
    for place, value in enumerate(values):
        if place == 0:
            so_far = value
            continue
        result = so_far ^ value
        if is_easy("XOR", so_far, value):
            easy.append(f"{so_far} XOR {value} = {result}")
        else:
            if easy:
                yield ", ".join(easy)
                easy.clear()
            yield from bitwise("XOR", so_far, value)
        so_far = result
    if easy:
        yield ", ".join(easy)
    return so_far


def xor_pairs(pairs: Iterable[tuple[int, int]]) -> Work[list[int]]:
    """The XOR of each pair; easy ones share a line, and others are made of powers of 2."""
    results = [(a, b, a ^ b) for a, b in pairs]
    easy = [f"{a} XOR {b} = {x}" for a, b, x in dict.fromkeys(results) if is_easy("XOR", a, b)]
    if easy:
        yield ", ".join(easy)
    hard = [(a, b) for a, b, _ in dict.fromkeys(results) if not is_easy("XOR", a, b)]
    if hard:
        powers = yield from split_powers(x for pair in hard for x in pair)
        yield "An XOR has the powers that are in one of the two, and not in the other:"
        for a, b in hard:
            apart = {*powers[a]} ^ {*powers[b]}
            yield f"{a} XOR {b}: {show_sum(sorted(apart, reverse=True))}"
    return [x for _, _, x in results]


def least_missing(label: str, reached: Iterable[int]) -> Work[int]:
    """The value of a position in a game: the least number >= 0 that no move leads to."""
    values = sorted(set(reached))
    value = next(x for x in range(len(values) + 1) if x not in values)
    leads = f"leads to {spaced(values)}, least missing {value}" if values else "no move, 0"
    yield f"{label}: {leads}"
    return value
