import re
from itertools import combinations, pairwise, permutations

from rlve.envs.graphs.check_all_cycle_xor_zero import CheckAllCycleXorZero

PROBLEM = CheckAllCycleXorZero(
    N=3, edge_ratio=1.0, edges=[(1, 2, 5), (2, 3, 6), (1, 3, 3)], reference_answer="YES"
)
SCHEDULE = {
    0: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},  # at most 6 edges
    1: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    8: {"N": 14, "edge_ratio": [i / 10 for i in range(10, 31)]},
    20: {"N": 56, "edge_ratio": [i / 10 for i in range(10, 31)]},
}
REWARDS = {1.0: ["YES", " YES\n"], 0.0: ["NO"], -0.5: ["yes", "", "YES YES"]}
SAMPLES = {150: {"difficulty": range(3)}}


def test_answer_tells_whether_all_cycles_have_xor_zero(problem):
    assert problem.reference_answer == ("NO" if any(cycle_xors(problem)) else "YES")


def test_the_worked_solution_shows_every_xor_bit_by_bit():
    for seed in range(40):
        for line in CheckAllCycleXorZero.generate(difficulty=seed % 4, seed=seed).worked():
            assert not re.search(r"\d XOR \d+ =", line)


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
