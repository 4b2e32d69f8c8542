from random import Random

from rlve.envs.optimization.subset_sum import SubsetSum

PROBLEM = SubsetSum(N=4, A=[1, 4, 2, 3], target=5, reference_answer="0 1")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 1", "3 2"],
    0.0: ["1 2", "1", ""],
    -0.5: [
        "0 0 3",  # 1 + 1 + 3 = 5, but an index is repeated
        "0 4",
        "-1 2",  # A[-1] + A[2] = 5 in Python only
    ],
    -1.0: ["0, 1", "1 + 4"],
}


def test_the_planted_indices_are_right():
    for seed in range(120):
        problem = SubsetSum.generate(difficulty=seed % 21, seed=seed)
        assert all(1 <= a <= problem.N for a in problem.A)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        assert 2 <= len(problem.reference().split()) < problem.N


def test_exactly_the_subsets_with_the_sum_are_right():
    for seed in range(60):
        problem = SubsetSum.sample(Random(seed), N=3 + seed % 4)
        for mask in range(1 << problem.N):
            indices = [i for i in range(problem.N) if mask >> i & 1]
            total = 0
            for i in indices:
                total += problem.A[i]
            assert problem.score(indices) == (1.0 if total == problem.target else 0.0)


def test_no_choice_is_often_right_at_the_start():
    problems = [SubsetSum.generate(difficulty=0, seed=seed) for seed in range(300)]
    for choice in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
        assert sum(problem.score(choice) == 1 for problem in problems) < 120
