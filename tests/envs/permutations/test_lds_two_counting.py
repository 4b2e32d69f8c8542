from collections import Counter
from itertools import combinations, permutations
from random import Random

from rlve.envs.permutations.lds_two_counting import LDSTwo_Counting

PROBLEM = LDSTwo_Counting(N=5, X=2, Y=4, reference_answer=9)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 3: {"N": 7}, 20: {"N": 56}}
REWARDS = {
    1.0: ["9"],
    (1 / 2) ** 10: ["18"],
    (3 / 9) ** 10: ["3"],
    0.0: ["0"],
    -1.0: ["-9", "9.0", ""],
}


def test_count_agrees_with_all_permutations():
    counts = Counter()
    for n in range(3, 7):
        for p in permutations(range(1, n + 1)):
            if not any(a > b > c for a, b, c in combinations(p, 3)):
                counts.update((n, x, y) for x, y in enumerate(p, 1))
    for seed in range(200):
        problem = LDSTwo_Counting.sample(Random(seed), N=3 + seed % 4)
        assert problem.reference_answer == counts[problem.N, problem.X, problem.Y]
    assert PROBLEM.reference_answer == counts[5, 2, 4]
