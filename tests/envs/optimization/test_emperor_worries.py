from itertools import count
from random import Random

from rlve.envs.optimization.emperor_worries import EmperorWorries, fewest_types

PROBLEM = EmperorWorries(K=1, N=3, A=[2, 1, 3], reference_answer=6)
SCHEDULE = {0: {"K": 1}, 1: {"K": 2}, 20: {"K": 21}}
REWARDS = {1.0: ["6"], 0.0: ["5", "-6"], -1.0: ["6 6", "six", ""]}


def test_problems_are_circles_of_both_parities():
    problems = [EmperorWorries.generate(difficulty=d, seed=s) for d in range(3) for s in range(20)]
    assert {problem.N - 2 * problem.K for problem in problems} == {0, 1}
    for problem in problems:
        assert len(problem.A) == problem.N
        assert all(1 <= a <= 2 * problem.N for a in problem.A)
        assert problem.reference_answer == fewest_types(problem.A)


def test_fewest_types_by_handing_out_explicit_sets():
    rng = Random(1)
    for number in range(120):
        A = [rng.randint(1, 3) for _ in range(2 + number % 4)]
        assert fewest_types(A) == next(types for types in count(max(A)) if possible(A, types))


def possible(A, types):
    """Go around the circle with all sets that the general can have, as the bits of an integer."""
    by_size = {a: [s for s in range(2**types) if s.bit_count() == a] for a in set(A)}
    first = 2 ** A[0] - 1  # the names of the types do not matter
    reached = {first}
    for a in A[1:]:
        reached = {s for s in by_size[a] if any(not s & before for before in reached)}
    return any(not first & last for last in reached)
