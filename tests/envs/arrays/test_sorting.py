from rlve.envs.arrays.sorting import Sorting

PROBLEM = Sorting(N=3, array=[2, 9, 2], gold_answer=[2, 2, 9], reference_answer="2 2 9")
SCHEDULE = {d: {"N": n} for d, n in enumerate([3, 4, 5, 6, 7, 8, 9, 10, 12])}
REWARDS = {1.0: ["2 2 9"], (1 / 3) ** 10: ["2 9 2"], -0.5: ["2 2", ""], -1.0: ["2, 2, 9"]}
SAMPLES = {200: {"difficulty": range(10)}}


def test_gold_is_the_sorted_array(problem):
    rest = list(problem.array)
    for gold in problem.gold_answer:  # selection sort
        assert gold == min(rest)
        rest.remove(gold)
    assert not rest
