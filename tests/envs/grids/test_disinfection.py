from rlve.envs.grids.disinfection import Disinfection

PROBLEM = Disinfection(
    MAX_A_B_C=3,
    A=3,
    B=2,
    C=3,
    one_coordinates=[(0, 0, 0), (0, 1, 2), (2, 1, 2), (0, 0, 1)],
    gold_answer=2,
)
SCHEDULE = {0: {"MAX_A_B_C": 2}, 1: {"MAX_A_B_C": 3}, 7: {"MAX_A_B_C": 9}, 20: {"MAX_A_B_C": 22}}
REWARDS = {
    1.0: ["0 3 0 2 0 3", "0 1 0 2 0 3\n\n2 3 0 2 0 3"],
    (2 / 3) ** 5: [
        "0 1 0 2 0 3\n2 3 1 2 2 3\n1 2 0 1 0 1",
        "0 1 0 2 0 3\n0 1 0 2 0 3\n2 3 0 2 0 3",  # doing it twice costs twice
    ],
    -0.2: ["0 1 0 2 0 3", ""],
    -0.5: ["0 4 0 2 0 3", "-1 3 0 2 0 3", "0 3 1 1 0 3", "0 3 0 2 3 0"],
    -1.0: ["0 3 0 2 0", "0 3 0 2 0 3 1", "0 3 0 2 0 x"],
}
SAMPLES = {150: {"MAX_A_B_C": range(2, 6)}}


def test_gold_is_the_minimum_over_all_layers(problem):
    """Try all sets of layers along x and along y; what is left needs layers along z."""
    ones = problem.one_coordinates
    xs, ys = sorted({one[0] for one in ones}), sorted({one[1] for one in ones})
    best = len(xs)
    for x_bits in range(1 << len(xs)):
        rest = [one for one in ones if not x_bits >> xs.index(one[0]) & 1]
        for y_bits in range(1 << len(ys)):
            zs = {one[2] for one in rest if not y_bits >> ys.index(one[1]) & 1}
            best = min(best, x_bits.bit_count() + y_bits.bit_count() + len(zs))
    assert problem.gold_answer == best
