from functools import cache

from rlve.envs.combinatorics.no_adjacent_girl_counting import NoAdjacentGirlCounting

PROBLEM = NoAdjacentGirlCounting(MAX_N_M=2, N=1, M=1, reference_answer=12)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])}
REWARDS = {1.0: ["12"], (1 / 2) ** 10: ["6", "24"], 0.0: ["0"], -1.0: ["-12", "12.0", ""]}
SAMPLES = {100: {"difficulty": range(12)}}


def test_gold_counts_the_queues(problem):
    assert 1 <= min(problem.N, problem.M) <= max(problem.N, problem.M) <= problem.MAX_N_M
    assert problem.reference_answer == person_by_person(problem.N, problem.M, 2, "")


@cache
def person_by_person(boys, girls, teachers, last):
    if boys == girls == teachers == 0:
        return 1
    count = boys * person_by_person(boys - 1, girls, teachers, "boy") if boys else 0
    if girls and last != "girl":
        count += girls * person_by_person(boys, girls - 1, teachers, "girl")
    if teachers and last != "teacher":
        count += teachers * person_by_person(boys, girls, teachers - 1, "teacher")
    return count
