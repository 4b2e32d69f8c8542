from rlve.envs.grids.minimum_dominating_set_grid import Minimum_DominatingSet_Grid

PROBLEM = Minimum_DominatingSet_Grid(MAX_N_M=3, N=2, M=3, F=[[4, 1, 6], [5, 2, 5]], gold_answer=3)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 7: {"MAX_N_M": 10}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["1 2\n2 2", "2 2\n\n1 2\n"],
    (3 / 7) ** 5: ["1 2\n2 2\n1 1"],
    (3 / 9) ** 5: ["1 1\n2 3"],
    -0.2: ["1 2", ""],
    -0.5: ["1 2\n1 2\n2 2", "0 2\n2 2", "1 2\n2 4", "1 2\n-2 2"],
    -1.0: ["1 2 2 2", "1 2\n2", "(1, 2)\n(2, 2)"],
}
SAMPLES = {110: {"MAX_N_M": [2, 3]}}


def test_gold_is_the_minimum_over_all_sets(problem):
    F = problem.F
    N, M = len(F), len(F[0])
    costs = [cost for row in F for cost in row]
    near = [
        sum(1 << x * M + y for x in range(N) for y in range(M) if abs(x - i) + abs(y - j) <= 1)
        for i in range(N)
        for j in range(M)
    ]
    cells = range(N * M)
    assert problem.gold_answer == min(
        sum(costs[k] for k in cells if chosen >> k & 1)
        for chosen in range(1 << N * M)
        if all(chosen & mask for mask in near)
    )
