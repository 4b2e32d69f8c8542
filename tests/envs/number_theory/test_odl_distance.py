from rlve.envs.number_theory.odl_distance import ODLDistance

PROBLEM = ODLDistance(N=4, A=[4, 1, 2, 6], gold_answer=[2, 2, 0, 2], reference_answer="2 2 0 2")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["2 2 0 2"],
    (3 / 4) ** 5: ["2 2 1 2"],  # as near, but not the smallest index
    0.0: ["3 0 3 0"],
    -0.5: ["2 2 2 2", "2 2 0", "2 2 0 2 1", "2 2 0 4", "2 2 0 -1", ""],
    -1.0: ["2 2 0 x", "2, 2, 0, 2"],
}
SAMPLES = {150: {"N": range(2, 12)}}


def test_answer_minimises_the_number_of_operations(problem):
    assert len(set(problem.A)) == problem.N
    assert set(problem.A) <= set(range(1, 4 * problem.N + 1))
    assert problem.gold_answer == nearest_by_exponents(problem.A)
    assert problem.reference_answer.split() == [str(j) for j in problem.gold_answer]


def nearest_by_exponents(A):
    gold = []
    for i, a in enumerate(A):
        distances = [(operations(a, b), j) for j, b in enumerate(A) if j != i]
        gold.append(min(distances)[1])
    return gold


def operations(a, b):
    """The differences of the exponents of all primes, by trial division."""
    total = 0
    for p in range(2, max(a, b) + 1):
        if all(p % q for q in range(2, p)):
            total += abs(exponent(a, p) - exponent(b, p))
    return total


def exponent(n, p):
    count = 0
    while n % p == 0:
        n //= p
        count += 1
    return count
