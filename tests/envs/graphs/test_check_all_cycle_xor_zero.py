from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest

from rlve.envs.graphs.check_all_cycle_xor_zero import CheckAllCycleXorZero

PROBLEM = CheckAllCycleXorZero(
    N=3, edge_ratio=1.0, edges=[(1, 2, 5), (2, 3, 6), (1, 3, 3)], reference_answer="YES"
)


def test_schedule():
    ratios = [level["edge_ratio"] for level in CheckAllCycleXorZero.level(0)]
    assert ratios == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]  # at most 6 edges
    assert [CheckAllCycleXorZero.level(d)[0]["N"] for d in (0, 1, 8, 20)] == [4, 5, 14, 56]
    assert len(CheckAllCycleXorZero.level(8)) == 21


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("YES", 1.0), (" YES\n", 1.0), ("NO", 0.0), ("yes", -0.5), ("", -0.5), ("YES YES", -0.5)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_no_answer_is_unparseable():
    assert PROBLEM.verify("YES").reward == -1.0


def test_answer_tells_whether_all_cycles_have_xor_zero():
    for seed in range(150):
        problem = CheckAllCycleXorZero.generate(difficulty=seed % 3, seed=seed)
        assert problem.reference_answer == ("NO" if any(cycle_xors(problem)) else "YES")


def test_both_answers_are_as_likely():
    answers = Counter(
        CheckAllCycleXorZero.generate(difficulty=3, seed=seed).reference_answer
        for seed in range(400)
    )
    assert 150 < answers["YES"] < 250


def cycle_xors(problem):
    weight = {frozenset((u, v)): w for u, v, w in problem.edges}
    for size in range(3, problem.N + 1):
        for first, *rest in combinations(range(1, problem.N + 1), size):
            for order in permutations(rest):
                steps = [frozenset(step) for step in pairwise((first, *order, first))]
                if all(step in weight for step in steps):
                    xor = 0
                    for step in steps:
                        xor ^= weight[step]
                    yield xor
