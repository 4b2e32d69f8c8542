import pytest

from rlve.envs.number_theory.add_multiple_divisible_counting import (
    AddMultiple_Divisible_Counting,
    count_pairs,
)

PROBLEM = AddMultiple_Divisible_Counting(MAX_N=16, N=15, reference_answer=4)


def test_schedule():
    levels = [AddMultiple_Divisible_Counting.level(d) for d in range(6)]
    assert levels == [[{"MAX_N": n}] for n in (16, 24, 36, 54, 81, 121)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4", 1.0),
        ("3", (3 / 4) ** 10),
        ("8", (1 / 2) ** 10),
        ("0", -1.0),
        ("-4", -1.0),
        ("four", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_pairs():
    counts = [0]
    for b in range(1, 201):
        counts.append(counts[-1] + sum(a * b % (a + b) == 0 for a in range(1, b)))
    assert [count_pairs(N) for N in range(1, 201)] == counts[1:]
    for seed in range(100):
        problem = AddMultiple_Divisible_Counting.generate(difficulty=seed % 6, seed=seed)
        assert 6 <= problem.N <= problem.MAX_N
        assert problem.reference_answer == counts[problem.N]


def test_the_count_is_one_exactly_below_twelve():
    assert [N for N in range(6, 100) if count_pairs(N) == 1] == [6, 7, 8, 9, 10, 11]
