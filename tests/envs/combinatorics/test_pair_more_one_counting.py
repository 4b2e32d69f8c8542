from math import comb

import pytest

from rlve.envs.combinatorics.pair_more_one_counting import PairMoreOneCounting

PROBLEM = PairMoreOneCounting(MAX_M=10, MAX_delta=5, M=1, delta=1, K=1, reference_answer=4)


def test_schedule():
    assert [PairMoreOneCounting.level(d)[0] for d in (0, 1, 2, 20)] == [
        {"MAX_M": 10, "MAX_delta": 5},
        {"MAX_M": 20, "MAX_delta": 6},
        {"MAX_M": 40, "MAX_delta": 7},
        {"MAX_M": 10 * 2**20, "MAX_delta": 62},
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4", 1.0),
        ("5", 0.0),
        ("0", 0.0),
        ("9", 0.0),
        ("10", -0.5),
        ("-1", -0.5),
        ("4.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_pairs():
    for seed in range(150):
        p = PairMoreOneCounting.generate(difficulty=seed % 5, seed=seed)
        N, M = p.M + p.delta, p.M
        fewer = [0]  # strings T with less than i ones
        for ones in range(M + 1):
            fewer.append(fewer[-1] + comb(M, ones))
        count = sum(comb(N, i) * fewer[min(i, M + 1)] for i in range(N + 1))
        assert p.reference_answer == count % 10**p.K
