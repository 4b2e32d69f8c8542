from rlve.envs.strings.minimal_cyclic_shift import MinimalCyclicShift

PROBLEM = MinimalCyclicShift(N=5, S="10010", reference_answer="00101")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["00101"],
    (4 / 5) ** 10: ["00100"],  # no rotation of S
    (3 / 5) ** 10: ["01001"],
    0.0: ["11010"],
    -1.0: ["0101", "001010", "00102", "0 0 1 0 1", ""],
}
SAMPLES = {150: {"difficulty": range(21)}}


def test_gold_is_the_smallest_string_on_the_way(problem):
    digits = list(problem.S)
    assert set(digits) == {"0", "1"}
    smallest = digits
    for _ in range(problem.N):
        digits = [*digits[1:], digits[0]]
        smallest = digits if digits < smallest else smallest
    assert problem.reference_answer == "".join(smallest)
