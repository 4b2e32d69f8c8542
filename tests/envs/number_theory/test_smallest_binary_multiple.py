from rlve.envs.number_theory.smallest_binary_multiple import SmallestBinaryMultiple

PROBLEM = SmallestBinaryMultiple(MAX_A=10, A=6, reference_answer=185)
SCHEDULE = {d: {"MAX_A": n} for d, n in ((0, 10), (1, 12), (2, 14), (3, 16), (4, 18), (20, 103))}
REWARDS = {
    1.0: ["185"],  # 1110
    (185 / 1685) ** 5: ["1685"],  # 10110
    (1 / 10) ** 5: ["1850"],
    0.0: ["185" + "0" * 997],
    -0.5: ["1110", "1", "9" * 1000],
    -1.0: ["9" * 1002, "0", "-185", "6 * 185", ""],
}
SAMPLES = {200: {"MAX_A": range(8, 75)}}


def test_answer_gives_the_smallest_product(problem):
    assert 2 <= problem.A <= problem.MAX_A
    product = next(p for p in binary_looking(100_000) if p % problem.A == 0)
    assert problem.reference_answer * problem.A == product


def binary_looking(count):
    """1, 10, 11, 100, ...: the binary notation of 1, 2, 3, ..., read in decimal."""
    return (int(f"{n:b}") for n in range(1, count))
