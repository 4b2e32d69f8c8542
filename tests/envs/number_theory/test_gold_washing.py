from random import Random

import pytest

from rlve.envs.number_theory.gold_washing import GoldWashing

PROBLEM = GoldWashing(MAX_N=12, N=12, K=2, reference_answer=8)  # 1 and 11, 2 and 12


def test_schedule():
    levels = [GoldWashing.level(d) for d in (0, 1, 5, 6, 7, 20)]
    assert levels == [[{"MAX_N": n}] for n in (5, 6, 10, 12, 14, 62)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("8", 1.0),
        ("6", (3 / 4) ** 10),
        ("16", (1 / 2) ** 10),
        ("0", -1.0),
        ("-8", -1.0),
        ("8.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def digit_product(x):
    return x if x < 10 else x % 10 * digit_product(x // 10)


def test_gold_is_the_sum_over_all_pairs():
    for seed in range(110):
        problem = GoldWashing.sample(Random(seed), MAX_N=5 + seed)
        N = problem.N
        c = [0] * (N + 1)
        for x in range(1, N + 1):
            c[digit_product(x)] += 1
        values = sorted(c[a] * c[b] for a in range(1, N + 1) for b in range(1, N + 1))
        assert problem.reference_answer == sum(values[-problem.K :])


def test_only_small_ranges_give_the_answer_away():
    for seed in range(200):
        problem = GoldWashing.generate(difficulty=8, seed=seed)
        assert problem.N > 10
        assert problem.reference_answer > problem.K
