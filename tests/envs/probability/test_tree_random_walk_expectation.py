from rlve.envs.probability.tree_random_walk_expectation import PRIME, TreeRandomWalkExpectation
from support.linear import solution

PROBLEM = TreeRandomWalkExpectation(N=3, edges=[(0, 2), (1, 2)], reference_answer=110916041)  # 16/9
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["110916041"],
    0.0: ["110916042", "0", "998244352"],
    -0.5: ["998244353", "1109160394", "-1"],
    -1.0: ["16/9", ""],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_mean_solves_the_equations_of_hitting_times(problem):
    N = problem.N
    total = sum(sum(hitting_times(N, problem.edges, target)) for target in range(N))
    mean = total / N**2
    assert (problem.reference_answer * mean.denominator - mean.numerator) % PRIME == 0


def hitting_times(N, edges, target):
    """deg(u) * E(u) - sum of E(v) over the neighbours v = deg(u)."""
    rows = [[0] * (N + 1) for _ in range(N)]
    for a, b in edges:
        for u, v in ((a, b), (b, a)):
            if u != target:
                rows[u][u] += 1
                rows[u][v] -= 1
                rows[u][N] += 1
    rows[target][target] = 1
    return solution(rows)
