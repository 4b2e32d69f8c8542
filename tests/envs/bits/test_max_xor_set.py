from rlve.envs.bits.max_xor_set import MaxXorSet

PROBLEM = MaxXorSet(N=3, MAX_bit_length=3, A=[6, 5, 1], gold_answer=7)
SCHEDULE = {
    0: {"N": 3, "MAX_bit_length": range(3, 8)},
    1: {"N": 4, "MAX_bit_length": range(4, 9)},
    8: {"N": 12, "MAX_bit_length": range(5, 10)},
    20: {"N": 50, "MAX_bit_length": range(7, 12)},
}
REWARDS = {
    1.0: ["0 2", "2 0"],
    (6 / 7) ** 5: ["0"],
    (3 / 7) ** 5: ["0 1"],
    0.0: [""],
    -0.5: [
        "0 3",
        "-1",
        "9" * 1000,
        "0 0 0 2",  # two of the three cancel out, but no index may be repeated
        "0 0 0",
        "1 1",
    ],
    -1.0: ["0, 2", "none"],
}
SAMPLES = {150: {"N": range(1, 10), "MAX_bit_length": range(2, 9)}}


def test_gold_is_the_largest_of_all_subsets(problem):
    assert all(1 <= x <= 2**problem.MAX_bit_length - 2 for x in problem.A)
    xors = [0]
    for x in problem.A:
        xors += [x ^ y for y in xors]
    assert problem.gold_answer == max(xors)
    indices = [int(token) for token in problem.reference().split()]
    assert len(set(indices)) == len(indices)
