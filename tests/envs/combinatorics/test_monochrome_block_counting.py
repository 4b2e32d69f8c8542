from itertools import product

from rlve.envs.combinatorics.monochrome_block_counting import MonochromeBlockCounting, count_towers

PROBLEM = MonochromeBlockCounting(MAX_A_B=5, A=3, B=3, reference_answer=2)
SCHEDULE = {d: {"MAX_A_B": n} for d, n in enumerate([5, 8, 13, 20, 31, 47])}
REWARDS = {1.0: ["2"], (1 / 2) ** 10: ["1", "4"], -1.0: ["0", "-2", "2 towers", ""]}
SAMPLES = {150: {"difficulty": range(4)}}


def test_gold_counts_the_highest_towers(problem):
    counts = [1]
    while counts[-1]:
        layers = len(counts)
        counts.append(0)
        for colours in product((0, 1), repeat=layers):
            black = sum(i for i, colour in enumerate(colours, 1) if colour)
            counts[-1] += black <= problem.A and sum(range(layers + 1)) - black <= problem.B
    assert problem.reference_answer == counts[-2]


def test_more_layers_than_a_byte_has_bits():
    for A, B in ((300, 290), (1, 500), (400, 7)):
        black_sums = {0: 1}
        layers = max(h for h in range(50) if h * (h + 1) // 2 <= A + B)
        for i in range(1, layers + 1):
            with_layer = {total + i: ways for total, ways in black_sums.items()}
            for total, ways in with_layer.items():
                black_sums[total] = black_sums.get(total, 0) + ways
        blocks = layers * (layers + 1) // 2
        assert count_towers(A, B) == sum(
            ways for total, ways in black_sums.items() if total <= A and blocks - total <= B
        )
