from rlve.envs.number_theory.prefix_concatenation import PrefixConcatenation

PROBLEM = PrefixConcatenation(MAX_N=64, N=12, M=1000, reference_answer=112)
SCHEDULE = {0: {"MAX_N": 64}, 1: {"MAX_N": 128}, 20: {"MAX_N": 64 * 2**20}}
REWARDS = {
    1.0: ["112", "0112"],
    0.0: ["1112", "-888", "0", "123456789101112", "9" * 1000],
    -1.0: ["112 mod 1000", ""],
}
SAMPLES = {150: {"MAX_N": range(8, 1201, 8)}}


def test_answer_is_the_remainder_of_the_written_number(problem):
    assert 2 <= problem.N <= problem.MAX_N
    assert 3 <= problem.M <= 10**6
    value = 0
    for digit in "".join(map(str, range(1, problem.N + 1))):
        value = (value * 10 + int(digit)) % problem.M
    assert problem.reference_answer == value
