from fractions import Fraction
from math import factorial

from rlve.envs.probability.divisor_flip_expectation import MOD, DivisorFlipExpectation
from support.linear import solution
from support.searching import ways

# Light 2 is on: switches 1 and 2 are needed, and pressing either leaves one. So E = 2, E * 2! = 4.
PROBLEM = DivisorFlipExpectation(N=2, K=1, state=[None, 0, 1], reference_answer=4)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 8: {"N": 12}}
REWARDS = {
    1.0: ["4"],
    0.0: ["2", "0", "1000000006"],
    -0.5: ["1000000007", "1000000011", "-1"],
    -1.0: ["4.0", ""],
}
SAMPLES = {120: {"N": range(2, 5)}}


def test_expectation_solves_the_equations_of_all_states(problem):
    expected = solved(problem.N, problem.K)
    start = sum(on << i for i, on in enumerate(problem.state[1:]))
    assert problem.state[0] is None
    assert problem.reference_answer == expected[start] * factorial(problem.N) % MOD


def solved(N, K):
    """The expected presses from each set of lights, from the 2^N equations."""
    switches = [sum(1 << (j - 1) for j in range(1, i + 1) if i % j == 0) for i in range(1, N + 1)]
    states = range(1 << N)
    presses = ways(0, lambda state: ((switch, state ^ switch) for switch in switches))
    distance = {state: len(way) for state, way in presses}
    rows = []
    for state in states:
        row = [0] * (len(states) + 1)
        row[state] += 1
        if distance[state] <= K:
            row[-1] += distance[state]
        else:
            row[-1] += 1
            for switch in switches:
                row[state ^ switch] -= Fraction(1, N)
        rows.append(row)
    return solution(rows)
