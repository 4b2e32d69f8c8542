"""Walks along lists: scanning, sorting, counting, states and tables."""

from collections.abc import Callable, Iterable, Sequence

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.arithmetic import add
from rlve.work.mental import is_easy


def state(label: str, values: Iterable[object]) -> str:
    """A list as every worked solution writes it: `Queue: 3 5`, `Row 2: 0 1 4`, `Left: none`."""
    return f"{label}: {spaced(values) or 'none'}"


def show_sum(terms: Iterable[int]) -> str:
    """A sum with its value: `2 + 3 = 5`; or one term, or 0 for none."""
    numbers = list(terms)
    written = " + ".join(map(str, numbers or [0]))
    return f"{written} = {sum(numbers)}" if len(numbers) > 1 else written


def find_largest(values: Sequence[int]) -> Work[int]:
    """The largest of some numbers, by going through them."""
    return (yield from _scan(values, ">", "<=", max))


def find_smallest(values: Sequence[int]) -> Work[int]:
    """The smallest of some numbers, by going through them."""
    return (yield from _scan(values, "<", ">=", min))


def _scan(
    values: Sequence[int], better: str, worse: str, choose: Callable[[int, int], int]
) -> Work[int]:
    best = values[0]
    parts = [f"Start with {best}"]
    for value in values[1:]:
        if value != best and choose(value, best) == value:
            parts.append(f"{value} {better} {best}, take {value}")
            best = value
        else:
            parts.append(f"{value} {worse} {best}")
    yield "; ".join(parts)
    return best


def selection_sort(values: Sequence[int]) -> Work[list[int]]:
    """The numbers in ascending order: take the smallest of those that are left, again and again."""
    left, taken = list(values), list[int]()
    while len(left) > 1:
        taken.append(min(left))
        left.remove(taken[-1])
        yield f"Smallest {taken[-1]}, left: {spaced(left)}"
    taken += left
    yield state("Sorted", taken)
    return taken


def count_cases(cases: Iterable[tuple[str, bool]]) -> Work[int]:
    """How many cases hold: each is named, and those that hold are numbered."""
    found = 0
    for name, holds in cases:
        found += holds
        yield f"{name}: yes, count {found}" if holds else f"{name}: no"
    yield f"Count: {found}"
    return found


def add_cases(cases: Iterable[tuple[str, int]]) -> Work[int]:
    """The total over some cases, each of which is described together with what it adds."""
    total = 0
    for text, value in cases:
        if is_easy("+", total, value):
            yield f"{text}, total {total} + {value} = {total + value}"
        else:
            yield text
            yield from add(total, value)
        total += value
    yield f"Total: {total}"
    return total


def find_best(cases: Iterable[tuple[str, int]], better: str = ">") -> Work[int]:
    """The number, from 0, of the first best case; the text of each ends with its value."""
    best, values = 0, list[int]()
    for i, (text, value) in enumerate(cases):
        values.append(value)
        if i == 0:
            yield f"{text}, best so far"
        elif value > values[best] if better == ">" else value < values[best]:
            yield f"{text} {better} {values[best]}, best so far"
            best = i
        else:
            yield f"{text} {'<=' if better == '>' else '>='} {values[best]}"
    return best


def extend_chains(
    weights: Sequence[int], may_follow: Callable[[int, int], bool], numbers: Sequence[int] = ()
) -> Work[list[tuple[int, list[int]]]]:
    """For each element, the weight and the elements of a heaviest chain that ends with it.

    `may_follow(i, j)` says whether j can come right after i, which is further left. Elements are
    called by their `numbers`, or else 0, 1, 2, ...
    """
    called = numbers or range(len(weights))
    chains: list[tuple[int, list[int]]] = []
    for j, weight in enumerate(weights):
        before = [i for i in range(j) if may_follow(i, j)]
        if before:
            best = max(before, key=lambda i: chains[i][0])
            total, chain = chains[best]
            yield (
                f"{called[j]} can follow {spaced(called[i] for i in before)}: "
                f"best {called[best]}, {total} + {weight} = {total + weight}"
            )
            chains.append((total + weight, [*chain, called[j]]))
        else:
            yield f"{called[j]} can follow none: {weight}"
            chains.append((weight, [called[j]]))
    return chains


def split_powers(numbers: Iterable[int], width: int = 1) -> Work[dict[int, list[int]]]:
    """For each number >= 0, the powers of 2 that make it up, the largest first, and its bits.

    There are as many bits as the largest number has, or `width` if that is more.
    """
    wanted = list(dict.fromkeys(numbers))
    width = max(width, max(wanted, default=0).bit_length())
    powers = [2**place for place in reversed(range(width))]
    doubled = [f"2 * {power // 2} = {power}" for power in powers[-2::-1]]
    yield f"Powers of 2: {', '.join(['1', *doubled])}"
    found: dict[int, list[int]] = {}
    for number in wanted:
        found[number] = [power for power in powers if number & power]
        bits = spaced(int(bool(number & power)) for power in powers)
        sums = " + ".join(map(str, found[number]))
        yield f"{number}{f' = {sums}' if len(found[number]) > 1 else ''}, bits {bits}"
    return found
