from itertools import permutations

from rlve.envs.strings.pcp_permutation import PCPPermutation

PROBLEM = PCPPermutation(
    N=3, average_length=2.0, A=["b", "abba", "a"], B=["ab", "ab", "ba"], reference_answer="1 2 0"
)
SCHEDULE = {
    d: {"N": n, "average_length": [1.2, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 7.0, 10.0]}
    for d, n in ((0, 3), (1, 4), (20, 23))
}
REWARDS = {
    1.0: ["1 2 0"],
    (4 / 6) ** 10: ["1 0 2"],  # abbaba and ababba
    (2 / 6) ** 10: ["0 1 2"],
    0.0: ["0 2 1"],  # baabba and abbaab
    -0.5: [
        "1 2",
        "1 2 0 0",
        "1 2 2",
        "1 2 3",  # indices start at 0
        "1 2 -3",
        "",
    ],
    -1.0: ["1, 2, 0", "abbaab"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_an_order_is_correct_if_it_joins_both_sides_to_one_string(problem):
    for order in permutations(range(problem.N)):
        a = b = ""
        for i in order:
            a, b = a + problem.A[i], b + problem.B[i]
        yield order, a == b
