from itertools import permutations
from random import Random

from tests.support.working import checked, run

from rlve.work import count_cases, find_largest, find_smallest, search, selection_sort, state


def test_scanning_and_sorting():
    rng = Random(1)
    for _ in range(50):
        values = [rng.randint(-50, 50) for _ in range(rng.randint(1, 12))]
        assert checked(find_largest(values), *values) == max(values)
        assert checked(find_smallest(values), *values) == min(values)
        assert checked(selection_sort(values), *values) == sorted(values)


def test_a_state_is_a_label_and_values():
    assert state("Queue", [3, 5]) == "Queue: 3 5"
    assert state("Queue", []) == "Queue: none"


def test_cases_that_hold_are_numbered():
    lines, found = run(count_cases((f"x = {x}", x % 2 == 1) for x in range(4)))
    assert lines == [
        "x = 0: no",
        "x = 1: yes, count 1",
        "x = 2: no",
        "x = 3: yes, count 2",
        "Count: 2",
    ]
    assert found == 2


def queens(n):
    def conflict(chosen, column):
        for row, other in enumerate(chosen):
            if abs(column - other) in (0, len(chosen) - row):
                return f"attacked by row {row}"
        return None

    return search(lambda chosen: range(n), conflict, lambda chosen: len(chosen) == n)


def test_a_search_backs_up_and_finds_the_first_solution():
    lines, found = run(queens(4))
    assert found == [1, 3, 0, 2]
    assert lines[:5] == [
        "Try: 0",
        "Not 0: attacked by row 0",
        "Not 1: attacked by row 0",
        "Try: 0 2",
        "Not 0: attacked by row 0",
    ]
    assert "Back to: 0" in lines
    assert lines[-1] == "Try: 1 3 0 2"
    first = next(
        p
        for p in permutations(range(6))
        if all(abs(p[i] - p[j]) != j - i for j in range(6) for i in range(j))
    )
    assert run(queens(6))[1] == list(first)


def test_a_search_says_when_there_is_nothing():
    assert run(queens(3))[1] is None
    assert run(queens(0)) == ([], [])
