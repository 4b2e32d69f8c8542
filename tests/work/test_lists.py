from random import Random

from tests.support.working import checked, run

from rlve.work import count_cases, find_largest, find_smallest, selection_sort, state


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
