from itertools import product

from rlve.envs.bits.bitwise_operation_sequence_counting import (
    BitwiseOperationSequenceCounting,
    count_sequences,
)

# Only if the last operator is OR is the result 10, so 2 sequences give 10.
PROBLEM = BitwiseOperationSequenceCounting(
    MAX_N_M=3, N=2, M=2, A=["00", "00", "10"], R="10", reference_answer=2
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 8: {"MAX_N_M": 12}, 20: {"MAX_N_M": 50}}
REWARDS = {1.0: ["2"], 0.5**10: ["1", "4"], 0.0: ["0", "9" * 1000], -1.0: ["-2", "two", "2 2", ""]}
SAMPLES = {150: {"MAX_N_M": range(2, 8)}}


def test_count_is_that_of_trying_all_sequences(problem):
    results = list(all_results(problem.A))
    assert problem.reference_answer == results.count(problem.R) >= 1
    unreachable = "".join("10"[int(bit)] for bit in problem.R)
    assert count_sequences(problem.A, unreachable) == results.count(unreachable)


def all_results(A):
    for operators in product("&|", repeat=len(A) - 1):
        result = A[0]
        for operator, row in zip(operators, A[1:], strict=True):
            pick = min if operator == "&" else max
            result = "".join(map(pick, result, row))
        yield result
