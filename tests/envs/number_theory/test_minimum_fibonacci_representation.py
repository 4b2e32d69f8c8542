from functools import cache

from rlve.envs.number_theory.minimum_fibonacci_representation import MinimumFibonacciRepresentation

PROBLEM = MinimumFibonacciRepresentation(MAX_K=50, K=40, reference_answer=3)
SCHEDULE = {d: {"MAX_K": n} for d, n in ((0, 15), (1, 22), (2, 33), (3, 49), (10, 823))}
REWARDS = {1.0: ["3", "03"], 0.0: ["2", "4", "-3", "9" * 1000], -1.0: ["34 5 1", "three", ""]}
SAMPLES = {300: {"MAX_K": range(10, 1210, 4)}}


def test_answer_is_the_least_number_of_terms(problem):
    assert 4 <= problem.K <= problem.MAX_K
    assert problem.reference_answer == fewest_terms(6000)[problem.K]


@cache
def fewest_terms(bound):
    """Breadth-first search over all sums from -bound to bound."""
    fibonacci = [1, 2]
    while fibonacci[-1] < bound:
        fibonacci.append(fibonacci[-2] + fibonacci[-1])
    terms, frontier = {0: 0}, [0]
    while frontier:
        reached = []
        for n in frontier:
            for f in fibonacci:
                for m in (n - f, n + f):
                    if abs(m) <= bound and m not in terms:
                        terms[m] = terms[n] + 1
                        reached.append(m)
        frontier = reached
    return terms
