from rlve.envs.arrays.different_color_pairing import DifferentColorPairing

PROBLEM = DifferentColorPairing(N=6, M=3, C=[3, 1, 2], reference_answer="1 2\n1 3\n1 3")
SCHEDULE = {0: {"N": 6}, 1: {"N": 8}, 20: {"N": 46}}
REWARDS = {
    1.0: ["1 2\n1 3\n1 3", "3 1\n3 1\n\n2 1"],
    (1 / 3) ** 10: ["1 2\n1 3\n2 3", "2 1\n2 1\n2 1", "2 1\n2 3\n2 3"],
    -0.5: ["1 1\n1 3\n2 3", "1 2\n1 3\n1 4", "0 1\n1 3\n1 2"],
    -1.0: ["1 2\n1 3", "1 2 1\n1 3\n1 3", "1 2 1 3 1 3", "1 2\n1 3\n1 c", ""],
}
SAMPLES = {150: {"N": range(6, 25, 2)}}


def test_problems_are_as_announced_and_the_reference_pairs_all_pearls(problem):
    N = problem.N
    assert len(problem.C) == problem.M
    assert sum(problem.C) == N
    assert 1 <= min(problem.C) <= max(problem.C) <= N // 2
    colours = problem.reference_answer.split()
    assert all(a != b for a, b in zip(colours[::2], colours[1::2], strict=True))
    assert [colours.count(str(i + 1)) for i in range(problem.M)] == problem.C
