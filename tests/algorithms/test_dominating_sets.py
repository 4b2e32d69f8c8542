from random import Random

from rlve.algorithms.dominating_sets import cheapest_dominating_set, least_dominating_cost


def test_no_dominating_set_is_cheaper():
    for seed in range(100):
        rng = Random(seed)
        N, M = rng.randint(2, 9), rng.randint(2, 5)
        highest = rng.choice([1, 2, N * M])
        F = [[rng.randint(1, highest) for _ in range(M)] for _ in range(N)]
        chosen = cheapest_dominating_set(F)
        for i in range(N):
            for j in range(M):
                assert any(abs(x - i) + abs(y - j) <= 1 for x, y in chosen)
        assert sum(F[i][j] for i, j in chosen) == least_dominating_cost(F) == cell_by_cell(F)


def cell_by_cell(F):
    """The least cost for each state of the last row of cells: chosen, dominated or neither."""
    M = len(F[0])
    best = {("dominated",) * M: 0}
    for row in F:
        for j, cost in enumerate(row):
            later = {}
            for state, total in best.items():
                above, left = state[0], state[-1] if j else None
                if above != "neither":
                    is_dominated = "chosen" in (above, left)
                    new = (*state[1:], "dominated" if is_dominated else "neither")
                    later[new] = min(total, later.get(new, total))
                before = "dominated" if left == "neither" else state[-1]
                new = (*state[1:-1], before, "chosen")
                later[new] = min(total + cost, later.get(new, total + cost))
            best = later
    return min(total for state, total in best.items() if "neither" not in state)
