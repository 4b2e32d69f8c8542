from itertools import product

from rlve.envs.grids.clear_symmetry import ClearSymmetry, smallest_side

PROBLEM = ClearSymmetry(MAX_X=5, x=3, reference_answer=5)
SCHEDULE = {
    d: {"MAX_X": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (5, 33), (20, 14053))
}
REWARDS = {1.0: ["5"], 0.0: ["3", "0", "-5"], -1.0: ["5.0", "n = 5", ""]}


def test_side_is_the_smallest_with_a_matrix():
    smallest = {}
    for n in range(1, 8):
        for x in numbers_of_ones(n):
            smallest.setdefault(x, n)
    assert [smallest_side(x) for x in range(1, 26)] == [smallest[x] for x in range(1, 26)]
    for seed in range(100):
        problem = ClearSymmetry.generate(difficulty=seed % 4, seed=seed)
        assert problem.reference_answer == smallest[problem.x]


def test_side_of_large_numbers():
    for n in (10**9 + 1, 10**40 + 1):
        most = (n * n + 1) // 2
        assert smallest_side(most) == n
        assert smallest_side(most + 1) == n + 2


def numbers_of_ones(n):
    """How many ones clear symmetric matrices of side n can have, by trying all quarters."""
    half = (n + 1) // 2
    found = set()
    for quarter in product((0, 1), repeat=half * half):

        def entry(i, j, quarter=quarter):
            return quarter[min(i, n - 1 - i) * half + min(j, n - 1 - j)]

        beside = any(
            (entry(i, j) and entry(i, j + 1)) or (entry(j, i) and entry(j + 1, i))
            for i in range(half)
            for j in range(half if n % 2 == 0 else half - 1)
        )
        if not beside:
            found.add(sum(entry(i, j) for i in range(n) for j in range(n)))
    return found - {0}
