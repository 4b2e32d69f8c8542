"""Exact searches: sets that cover all elements."""

from collections.abc import Sequence

from rlve.algorithms.bits import set_bits


def lightest_cover(elements: int, sets: Sequence[int], costs: Sequence[int]) -> list[int]:
    """The indices, in increasing order, of sets that cover all elements at the smallest total cost.

    Elements and sets are masks; costs are positive. Branch and bound: some set must cover the
    element that the fewest sets cover, and prices that the elements could pay bound the rest of the
    cost.
    """
    best, best_cost = list[int](), sum(costs) + 1
    # What is still to be covered, the sets that may be used, those already used, and their cost.
    waiting = [(elements, _undominated(sets, costs), list[int](), 0)]
    while waiting:
        missing, usable, used, cost = waiting.pop()
        if not missing:
            if cost < best_cost:
                best, best_cost = used, cost
            continue
        covering = _covering(missing, usable, sets)
        if not all(covering.values()) or cost + _bound(covering, costs) >= best_cost:
            continue
        choice = min(covering.values(), key=len)
        choice.sort(key=lambda i: (sets[i] & missing).bit_count() / costs[i])
        # The last is tried first, and those after it must do without it.
        for rank, i in enumerate(choice):
            others = [j for j in usable if j not in choice[rank:]]
            waiting.append((missing & ~sets[i], others, [*used, i], cost + costs[i]))
    if best_cost > sum(costs):
        raise ValueError("the sets do not cover all elements")
    return sorted(best)


def _undominated(sets: Sequence[int], costs: Sequence[int]) -> list[int]:
    """The sets that no other set replaces by covering at least as much at no higher cost."""
    return [
        i
        for i in range(len(sets))
        if not any(
            sets[i] | sets[j] == sets[j]
            and costs[j] <= costs[i]
            and (j < i or (sets[j], costs[j]) != (sets[i], costs[i]))
            for j in range(len(sets))
            if j != i
        )
    ]


def _covering(missing: int, usable: list[int], sets: Sequence[int]) -> dict[int, list[int]]:
    """For each missing element, the usable sets that contain it."""
    covering: dict[int, list[int]] = {element: [] for element in set_bits(missing)}
    for i in usable:
        for element in set_bits(sets[i] & missing):
            covering[element].append(i)
    return covering


def _bound(covering: dict[int, list[int]], costs: Sequence[int]) -> int:
    """The sum of prices of the elements that never exceed a set's cost; no cover costs less."""
    left = dict(enumerate(costs))
    total = 0
    for choice in sorted(covering.values(), key=len):
        price = min(left[i] for i in choice)
        total += price
        for i in choice:
            left[i] -= price
    return total
