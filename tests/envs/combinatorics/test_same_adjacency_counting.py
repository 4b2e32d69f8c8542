from itertools import pairwise, product
from random import Random

import pytest

from rlve.envs.combinatorics.same_adjacency_counting import SameAdjacencyCounting

PROBLEM = SameAdjacencyCounting(MAX_N=7, MAX_M=2, N=3, M=2, MOD=4, reference_answer=2)


def test_schedule():
    assert [SameAdjacencyCounting.level(d)[0] for d in range(4)] == [
        {"MAX_N": 7, "MAX_M": 2},
        {"MAX_N": 11, "MAX_M": 4},
        {"MAX_N": 17, "MAX_M": 7},
        {"MAX_N": 26, "MAX_M": 11},
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2", 1.0),
        ("0", 0.0),
        ("3", 0.0),
        ("4", -0.5),
        ("6", -0.5),
        ("-2", -0.5),
        ("2 mod 4", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_sequences():
    for seed in range(150):
        p = SameAdjacencyCounting.sample(Random(seed), MAX_N=3 + seed % 3, MAX_M=2 + seed % 4)
        assert 2 <= p.N <= p.MAX_N
        assert 2 <= p.M <= p.MAX_M
        assert p.M < p.MOD <= 10 * p.M
        sequences = product(range(p.M), repeat=p.N)
        count = sum(any(a == b for a, b in pairwise(sequence)) for sequence in sequences)
        assert p.reference_answer == count % p.MOD


def test_answers_of_the_first_level_vary():
    problems = [SameAdjacencyCounting.generate(difficulty=0, seed=seed) for seed in range(200)]
    answers = [problem.reference_answer for problem in problems]
    assert max(map(answers.count, answers)) < 80
