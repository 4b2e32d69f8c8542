from collections import Counter

from rlve.envs.optimization.set_cover import SetCover

PROBLEM = SetCover(N=4, Sets=[[0, 1], [1, 2], [2], [3], [2, 3]], reference_answer="0 2 3")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: [
        "0 2 3",
        "4 0",
        "4 0 4 0",  # repeated indices count once
    ],
    (3 / 4) ** 10: ["1 3"],
    (1 / 4) ** 10: ["2"],
    0.0: [""],
    -0.5: [
        "0 1",  # both have item 1
        "0 4 3",
        "0 5",
        "-1 0",
    ],
    -1.0: ["0, 4", "{0, 4}"],
}
SAMPLES = {100: {"N": 3}}


def test_exactly_the_exact_covers_are_right(problem):
    for mask in range(1 << len(problem.Sets)):
        chosen = [i for i in range(len(problem.Sets)) if mask >> i & 1]
        counts = Counter(item for i in chosen for item in problem.Sets[i])
        yield chosen, all(counts[item] == 1 for item in range(problem.N))
