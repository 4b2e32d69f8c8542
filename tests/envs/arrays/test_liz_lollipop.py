from random import Random

from rlve.envs.arrays.liz_lollipop import LIZ_Lollipop

PROBLEM = LIZ_Lollipop(
    N=3,
    A=[2, 1, 2],
    existence=[True, True, True, False, True],
    reference_answer="1 1\n0 0\n0 1\n-1 -1\n0 2",
)
BARE = LIZ_Lollipop(N=3, A=PROBLEM.A, reference_answer=PROBLEM.reference_answer)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
TABLE = {
    1.0: ["1 1\n0 0\n0 1\n-1 -1\n0 2", "1 1\n2 2\n\n1 2\n-1 -1\n0 2"],
    (4 / 5) ** 5: ["1 1\n2 2\n1 2\n1 2\n0 2", "-1 -1\n2 2\n1 2\n-1 -1\n0 2"],
    (1 / 5) ** 5: ["0 2\n0 2\n0 2\n0 2\n0 2"],
    -0.5: [
        "1 1\n0 0\n0 1\n-1 -1",
        "",
        "1 1\n0 0\n0 1\n-1 -1\n0 3",
        "1 1\n0 0\n1 0\n-1 -1\n0 2",
        "1 1\n0 0\n0 1\n-1 0\n0 2",
    ],
    -1.0: ["1 1\n0 0\n0 1\n-1\n0 2", "1 1 0 0 0 1 -1 -1 0 2", "1 1\n0 0\n0 1\nno no\n0 2"],
}
REWARDS = [(PROBLEM, TABLE), (BARE, TABLE)]  # a record need not say which sums exist


def test_existence_is_that_of_all_subarray_sums():
    for seed in range(200):
        N = 3 + seed % 8
        problem = LIZ_Lollipop.sample(Random(seed), N=N)
        assert set(problem.A) <= {1, 2}
        sums = {sum(problem.A[i:j]) for i in range(N) for j in range(i + 1, N + 1)}
        assert problem.existence == [i in sums for i in range(1, sum(problem.A) + 1)]
        for i, line in enumerate(problem.reference_answer.splitlines(), 1):
            start, end = map(int, line.split())
            if i in sums:
                assert sum(problem.A[start : end + 1]) == i
            else:
                assert (start, end) == (-1, -1)
