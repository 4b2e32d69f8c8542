from functools import cache
from itertools import pairwise, permutations

from rlve.envs.combinatorics.no_adjacent_girl_counting import NoAdjacentGirlCounting, count_queues

PROBLEM = NoAdjacentGirlCounting(MAX_N_M=2, N=1, M=1, reference_answer=12)
LARGE = NoAdjacentGirlCounting(MAX_N_M=100, N=50, M=50, reference_answer=count_queues(50, 50))
SCHEDULE = {d: {"MAX_N_M": n} for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])}
REWARDS = {1.0: ["12"], (1 / 2) ** 10: ["6", "24"], 0.0: ["0"], -1.0: ["-12", "12.0", ""]}


def test_a_near_miss_is_wrong():
    gold = LARGE.reference_answer
    assert LARGE.verify(f"<answer>{gold}</answer>").correct
    assert not LARGE.verify(f"<answer>{gold + 1}</answer>").correct


def test_gold_counts_the_queues():
    for seed in range(100):
        p = NoAdjacentGirlCounting.generate(difficulty=seed % 12, seed=seed)
        assert 1 <= min(p.N, p.M) <= max(p.N, p.M) <= p.MAX_N_M
        assert p.reference_answer == person_by_person(p.N, p.M, 2, "")


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


def test_formula_counts_permutations():
    for N, M in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3), (2, 3), (1, 4)]:
        assert count_queues(N, M) == sum(
            all((a, b) not in (("G", "G"), ("T", "T")) for a, b in pairwise(queue))
            for queue in permutations("B" * N + "G" * M + "TT")
        )
    assert count_queues(1, 4) > 0 == count_queues(1, 5)
