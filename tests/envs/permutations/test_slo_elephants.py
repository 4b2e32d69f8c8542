from heapq import heappop, heappush
from itertools import combinations
from random import Random

from rlve.envs.permutations.slo_elephants import SLOElephants

PROBLEM = SLOElephants(N=4, A=[0, 1, 2, 3], B=[0, 3, 1, 2], C=[4, 2, 4, 3], gold_answer=11)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["1 3\n1 2", "3 1\n\n2 1\n"],
    (11 / 12) ** 5: ["2 3\n1 3"],
    (11 / 23) ** 5: ["1 3\n1 2\n0 1\n0 1"],
    -0.2: ["1 2\n1 3", "1 3", ""],
    -0.5: ["1 3\n1 4", "1 3\n-1 2", "1 3\n2 2"],
    -1.0: ["1 3 1 2", "1\n3", "1 3\n1 b", "9"],
}
SAMPLES = {120: {"N": [*[3] * 4, *[4] * 5, *[5] * 3]}}


def test_gold_agrees_with_a_search_over_all_orders(problem):
    assert problem.A != problem.B
    assert problem.gold_answer == by_search(problem)


def test_the_lightest_item_of_all_helps():
    for seed in range(20):
        C = Random(seed).sample([1, 30, 31, 32, 33], 5)
        problem = SLOElephants(N=5, A=[0, 1, 2, 3, 4], B=[4, 2, 0, 1, 3], C=C, gold_answer=0)
        problem = SLOElephants(**{**problem.parameters(), "gold_answer": by_search(problem)})
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def by_search(problem):
    """Dijkstra over all orders."""
    C, target = problem.C, tuple(problem.B)
    best = {tuple(problem.A): 0}
    heap = [(0, tuple(problem.A))]
    while heap:
        cost, order = heappop(heap)
        if order == target:
            return cost
        if cost > best[order]:
            continue
        for p, q in combinations(range(problem.N), 2):
            swapped = list(order)
            swapped[p], swapped[q] = order[q], order[p]
            total = cost + C[order[p]] + C[order[q]]
            if total < best.get(tuple(swapped), total + 1):
                best[tuple(swapped)] = total
                heappush(heap, (total, tuple(swapped)))
    return None
