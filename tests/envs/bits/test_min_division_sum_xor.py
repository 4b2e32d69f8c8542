from itertools import combinations
from random import Random

import pytest

from rlve.envs.bits.min_division_sum_xor import MinDivisionSumXor

PROBLEM = MinDivisionSumXor(N=4, A=[1, 2, 4, 3], K=3, gold_answer=7)
ZEROS = MinDivisionSumXor(N=3, A=[0, 0, 0], K=2, gold_answer=0)
IMPOSSIBLE = MinDivisionSumXor(N=2, A=[1, 2], K=2, gold_answer=0)


def test_schedule():
    assert [MinDivisionSumXor.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "2 4", 1.0),  # 3 | 7
        (PROBLEM, "2 3 4", 1.0),  # 3 | 4 | 3
        (PROBLEM, "4", (7 / 10) ** 5),
        (PROBLEM, "3 4", 1.0),  # 7 | 3
        (PROBLEM, "1 4", (7 / 9) ** 5),  # 1 | 9
        (PROBLEM, "1 2 3 4", -0.5),  # too many batches
        (PROBLEM, "2 3", -0.5),  # the last batch is missing
        (PROBLEM, "2 5", -0.5),
        (PROBLEM, "0 4", -0.5),
        (PROBLEM, "-1 4", -0.5),
        (PROBLEM, "2 2 4", -0.5),
        (PROBLEM, "3 2 4", -0.5),
        (PROBLEM, "5 4", -0.5),
        (PROBLEM, "", -1.0),
        (PROBLEM, "2, 4", -1.0),
        (ZEROS, "1 3", 1.0),
        (IMPOSSIBLE, "1 2", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_of_all_divisions():
    for seed in range(150):
        problem = MinDivisionSumXor.sample(Random(seed), N=2 + seed % 7)
        assert 2 <= problem.K <= problem.N
        assert problem.gold_answer == min(all_costs(problem))
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def all_costs(problem):
    for cuts in range(problem.K):
        for places in combinations(range(1, problem.N), cuts):
            total = batch = 0
            for i, x in enumerate(problem.A):
                if i in places:
                    total, batch = total | batch, 0
                batch += x
            yield total | batch
