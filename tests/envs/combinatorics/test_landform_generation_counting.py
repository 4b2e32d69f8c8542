from itertools import permutations

from rlve.envs.combinatorics.landform_generation_counting import LandformGenerationCounting

PROBLEM = LandformGenerationCounting(N=3, A=[(2, 1), (1, 3), (3, 1)], MOD=100, reference_answer=3)
SCHEDULE = {d: {"N": n} for d, n in enumerate([3, 4, 5, 6, 7, 8, 9, 10, 12])}
REWARDS = {1.0: ["3"], 0.0: ["2", "0", "99"], -0.5: ["100", "-1"], -1.0: ["3 3", "three", ""]}
SAMPLES = {150: {"N": range(3, 7)}}


def test_gold_counts_the_sequences_of_all_valid_orders(problem):
    assert len(problem.A) == problem.N
    found = set()
    for order in permutations(problem.A):
        heights = [height for height, _ in order]
        if all(
            sum(other > height for other in heights[:i]) < limit
            for i, (height, limit) in enumerate(order)
        ):
            found.add(tuple(heights))
    assert found
    assert problem.reference_answer == len(found) % problem.MOD
