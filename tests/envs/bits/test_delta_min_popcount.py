from rlve.envs.bits.delta_min_popcount import DeltaMinPopcount

# 2 XOR (2 + 14) = 18; no single bit can change, as 14 is no power of two
PROBLEM = DeltaMinPopcount(digit_num=4, binary_string="1110", reference_answer=2)
SCHEDULE = {d: {"digit_num": n} for d, n in ((0, 4), (1, 5), (2, 6), (8, 14), (20, 56))}
REWARDS = {
    1.0: ["2", "+2"],
    0.0: [
        "3",
        "-2",
        "10",  # binary notation
    ],
    -1.0: ["2.0", "2 2", ""],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_minimum_over_many_numbers(problem):
    assert len(problem.binary_string) == problem.digit_num
    d = int(problem.binary_string, 2)
    fewest = min((n ^ (n + d)).bit_count() for n in range(1200))
    assert problem.reference_answer == fewest
