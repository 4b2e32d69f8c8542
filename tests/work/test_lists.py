from itertools import combinations, pairwise
from random import Random

from tests.support.working import checked, run

from rlve.work import (
    add_cases,
    count_cases,
    extend_chains,
    find_best,
    find_largest,
    find_smallest,
    selection_sort,
    show_sum,
    split_powers,
    state,
)


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


def test_a_sum_is_written_with_its_value():
    assert show_sum([2, 3, 4]) == "2 + 3 + 4 = 9"
    assert show_sum([5]) == "5"
    assert show_sum([]) == "0"


def test_cases_add_up():
    lines, total = run(add_cases([("a: 2", 2), ("b: 0", 0), ("c: 5", 5)]))
    assert lines == [
        "a: 2, total 0 + 2 = 2",
        "b: 0, total 2 + 0 = 2",
        "c: 5, total 2 + 5 = 7",
        "Total: 7",
    ]
    assert total == 7
    values = [98765, 43210, 1]  # too long for the head
    assert checked(add_cases((f"{x}", x) for x in values), *values) == sum(values)


def test_the_first_best_case_is_found():
    lines, best = run(find_best([("a: 2", 2), ("b: 5", 5), ("c: 5", 5)]))
    assert lines == ["a: 2, best so far", "b: 5 > 2, best so far", "c: 5 <= 5"]
    assert best == 1
    rng = Random(2)
    for _ in range(50):
        values = [rng.randint(0, 20) for _ in range(rng.randint(1, 8))]
        cases = [(f"Case {i}: {x}", x) for i, x in enumerate(values)]
        assert checked(find_best(cases), *values) == values.index(max(values))
        assert checked(find_best(cases, "<"), *values) == values.index(min(values))


def test_chains_are_as_heavy_as_can_be():
    rng = Random(3)
    for _ in range(50):
        n = rng.randint(1, 7)
        A, W = [[rng.randint(1, 9) for _ in range(n)] for _ in range(2)]
        chains = checked(extend_chains(W, lambda i, j, A=A: A[i] < A[j]), *W)
        for j, (total, chain) in enumerate(chains):
            ends_here = [
                sum(W[i] for i in (*before, j))
                for size in range(j + 1)
                for before in combinations(range(j), size)
                if all(A[x] < A[y] for x, y in pairwise((*before, j)))
            ]
            assert total == max(ends_here) == sum(W[i] for i in chain)
            assert chain[-1] == j


def test_chains_call_elements_by_their_numbers():
    lines, chains = run(extend_chains([1, 1], lambda i, j: True, [7, 4]))
    assert lines == ["7 can follow none: 1", "4 can follow 7: best 7, 1 + 1 = 2"]
    assert chains == [(1, [7]), (2, [7, 4])]


def test_numbers_are_split_into_powers_of_two():
    lines, powers = run(split_powers([5, 0, 8, 5]))
    assert lines == [
        "Powers of 2: 1, 2 * 1 = 2, 2 * 2 = 4, 2 * 4 = 8",
        "5 = 4 + 1, bits 0 1 0 1",
        "0, bits 0 0 0 0",
        "8, bits 1 0 0 0",
    ]
    assert powers == {5: [4, 1], 0: [], 8: [8]}
    assert run(split_powers([1], width=3))[0][1] == "1, bits 0 0 1"
    numbers = [Random(4).randrange(2000) for _ in range(20)]
    assert all(sum(parts) == n for n, parts in checked(split_powers(numbers), *numbers).items())
