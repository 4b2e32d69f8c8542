from itertools import combinations, product

from rlve.envs.geometry.grid_triangle_counting import GridTriangleCounting

PROBLEM = GridTriangleCounting(MAX_N_M=5, N=1, M=2, reference_answer=18)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (20, 14053))}
REWARDS = {
    1.0: ["18"],
    (17 / 18) ** 10: ["17"],
    (18 / 36) ** 10: ["36"],
    -1.0: ["0", "-18", "18.0", ""],
}
SAMPLES = {100: {"MAX_N_M": range(4, 7)}}


def test_gold_is_the_number_of_triples_that_span_an_area(problem):
    points = product(range(problem.N + 1), range(problem.M + 1))
    assert problem.reference_answer == sum(
        (b[0] - a[0]) * (c[1] - a[1]) != (b[1] - a[1]) * (c[0] - a[0])
        for a, b, c in combinations(points, 3)
    )
