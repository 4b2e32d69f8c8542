from functools import cache

import pytest

from rlve.environments.combinatorics.no_double_triple_counting import (
    NoDoubleTripleCounting,
    count_subsets,
)

PROBLEM = NoDoubleTripleCounting(MAX_N=10, N=4, reference_answer=8)
LARGE = NoDoubleTripleCounting(MAX_N=14053, N=14053, reference_answer=count_subsets(14053))


def test_schedule():
    bounds = [NoDoubleTripleCounting.level(d)[0]["MAX_N"] for d in (0, 1, 2, 3, 4, 18)]
    assert bounds == [10, 15, 22, 33, 49, 14053]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("8", 1.0),
        ("4", (1 / 2) ** 10),
        ("16", (1 / 2) ** 10),
        ("0", -1.0),
        ("-8", -1.0),
        ("2^3", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_a_count_of_thousands_of_digits_can_be_answered():
    gold = LARGE.reference_answer
    assert len(str(gold)) == 3236
    assert LARGE.verify(f"<answer>{gold}</answer>").correct
    assert not LARGE.verify(f"<answer>{gold + 1}</answer>").correct


def test_highest_level_is_the_last_whose_counts_can_be_written():
    highest = NoDoubleTripleCounting.max_difficulty
    lengths = [
        count_subsets(NoDoubleTripleCounting.level(d)[0]["MAX_N"]) < 10**4000
        for d in (highest, highest + 1)
    ]
    assert lengths == [True, False]


def test_gold_counts_the_subsets():
    assert [count_subsets(N) for N in range(1, 200)] == [
        number_by_number(frozenset(range(1, N + 1))) for N in range(1, 200)
    ]
    for seed in range(100):
        p = NoDoubleTripleCounting.generate(difficulty=seed % 6, seed=seed)
        assert 3 <= p.N <= p.MAX_N
        assert p.reference_answer == number_by_number(frozenset(range(1, p.N + 1)))


@cache
def number_by_number(numbers):
    """Either the number with most partners is left out, or its partners are."""
    if not numbers:
        return 1

    def partners(x):
        return {y for y in (2 * x, 3 * x, x / 2, x / 3) if y in numbers}

    x = max(sorted(numbers), key=lambda x: len(partners(x)))
    if not partners(x):
        return 2 ** len(numbers)
    return number_by_number(numbers - {x}) + number_by_number(numbers - {x} - partners(x))
