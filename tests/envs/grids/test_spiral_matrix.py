from rlve.envs.grids.spiral_matrix import SpiralMatrix

PROBLEM = SpiralMatrix(
    MAX_M_N=3,
    M=2,
    N=3,
    matrix=[[4, 1, 6], [5, 2, 5]],
    gold_answer=[4, 1, 6, 5, 2, 5],
    reference_answer="4 1 6 5 2 5",
)
SCHEDULE = {d: {"MAX_M_N": n} for d, n in ((0, 3), (1, 4), (2, 5), (7, 10), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["4 1 6 5 2 5", "4 1 6\n5 2 5"],
    (5 / 6) ** 5: ["4 1 6 5 2 6"],
    (4 / 6) ** 5: ["4 6 1 5 2 5"],
    0.0: ["5 2 5 6 1 4"],
    -0.5: ["4 1 6 5 2", "4 1 6 5 2 5 5", ""],
    -1.0: ["4, 1, 6, 5, 2, 5", "4 1 6 5 2 x"],
}
SAMPLES = {120: {"MAX_M_N": range(2, 11)}}


def test_gold_is_what_a_walker_meets_who_turns_right_when_blocked(problem):
    unvisited = {(i, j): x for i, row in enumerate(problem.matrix) for j, x in enumerate(row)}
    i, j, down, right = 0, -1, 0, 1
    met = []
    while unvisited:
        if (i + down, j + right) not in unvisited:
            down, right = right, -down
        i, j = i + down, j + right
        met.append(unvisited.pop((i, j)))
    assert problem.gold_answer == met
    assert problem.reference_answer == " ".join(map(str, problem.gold_answer))
