from random import Random

import pytest

from rlve.envs.optimization.set_splitting import SetSplitting

PROBLEM = SetSplitting(N=4, M=3, Sets=[[1, 0], [3, 0, 2], [1, 2]], reference_answer="0 2")
REWARDS = {
    1.0: ["0 2", "3 1"],
    (2 / 3) ** 10: ["0", "0 1"],
    (1 / 3) ** 10: ["3"],
    0.0: ["", "0 1 2 3"],
    -0.5: ["0 4", "-1 0", "0 2 2"],
    -1.0: ["0, 2"],
}


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, N):
    levels = SetSplitting.level(d)
    assert len(levels) == 21
    assert {level["N"] for level in levels} == {N}
    assert [levels[0]["M"], levels[5]["M"], levels[-1]["M"]] == [N, 3 * N // 2, 3 * N]


def test_the_planted_split_is_right():
    for seed in range(120):
        problem = SetSplitting.generate(difficulty=seed % 21, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        assert len(problem.Sets) == problem.M
        for elements in problem.Sets:
            assert len(set(elements)) == len(elements) >= 2
            assert 0 <= min(elements) <= max(elements) < problem.N


def test_exactly_the_splits_of_all_subsets_are_right():
    for seed in range(60):
        N = 3 + seed % 3
        problem = SetSplitting.sample(Random(seed), N=N, M=N + seed % N)
        for mask in range(1 << N):
            first = [x for x in range(N) if mask >> x & 1]
            second = [x for x in range(N) if x not in first]
            works = all(
                any(x in first for x in elements) and any(x in second for x in elements)
                for elements in problem.Sets
            )
            assert (problem.score(first) == 1.0) == works


def test_no_split_is_often_right_at_the_start():
    problems = [SetSplitting.generate(difficulty=0, seed=seed) for seed in range(300)]
    for part in ([0], [1], [2]):
        assert sum(problem.score(part) == 1 for problem in problems) < 120
