import pytest

from rlve.envs.optimization.warehouse_construction import WarehouseConstruction

PROBLEM = WarehouseConstruction(N=4, D=[0, 2, 3, 5], P=[3, 0, 2, 0], C=[4, 1, 5, 1], gold_answer=9)
EMPTY = WarehouseConstruction(N=4, D=[0, 2, 3, 5], P=[0] * 4, C=[4, 1, 5, 1], gold_answer=0)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 6: {"N": 10}, 20: {"N": 56}}
REWARDS = {
    1.0: ["0 3", "3 0", "0 2"],
    (9 / 12) ** 5: ["1 3"],
    (9 / 20) ** 5: ["3"],
    -0.5: [
        "0 1",  # factory 2 has no warehouse below it
        "",
        "0 4",
        "-1",
        "3 0 3",  # listed twice
        "1 3 1 3",
    ],
    -1.0: ["0, 3"],
}
SAMPLES = {120: {"N": range(2, 8)}}


@pytest.mark.parametrize(("answer", "reward"), [("", 1.0), ("1", 0.0), ("4", -0.5)])
def test_rewards_without_products(answer, reward):
    assert EMPTY.verify(f"<answer>{answer}</answer>").reward == reward
    assert EMPTY.reference() == ""


def test_gold_is_the_smallest_over_all_subsets(problem, seed):
    if seed % 3 == 0:  # many factories without products
        P = [p if i % 3 else 0 for i, p in enumerate(problem.P)]
        gold = smallest(problem.D, P, problem.C)
        problem = WarehouseConstruction(
            N=problem.N, D=problem.D, P=P, C=problem.C, gold_answer=gold
        )
    assert problem.gold_answer == smallest(problem.D, problem.P, problem.C)


def smallest(D, P, C):
    best = None
    for mask in range(1 << len(D)):
        chosen = [i for i in range(len(D)) if mask >> i & 1]
        cost = sum(C[i] for i in chosen)
        for i, products in enumerate(P):
            if products:
                below = [D[j] - D[i] for j in chosen if j >= i]
                cost = cost + products * min(below) if below else None
            if cost is None:
                break
        if cost is not None:
            best = cost if best is None else min(best, cost)
    return best
