from itertools import permutations
from random import Random

from rlve.envs.puzzles.numbrix import Numbrix

PROBLEM = Numbrix(
    MAX_N_M=3,
    sparsity=0.8,
    N=2,
    M=3,
    matrix=[[0, -1, -1], [-1, -1, -1]],
    reference_answer="0 1 2\n5 4 3",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 3), (1, 4), (4, 7), (20, 23))
}
REWARDS = {
    1.0: [
        "0 1 2\n5 4 3",
        "0 3 4\n1 2 5",  # another solution
        " 0 3  4\n\n1 2 5 ",
    ],
    (1 / 2) ** 3: ["0 1 2\n3 4 5"],
    (1 / 3) ** 3: ["0 2 4\n1 3 5"],
    (1 / 5) ** 3: ["0 3 1\n4 2 5"],
    -0.5: [
        "5 4 3\n0 1 2",  # a given is changed
        "0 1 2\n5 4 4",
        "0 1 2\n5 4 6",
        "0 1 2\n5 4 -1",
        "0 1 2\n5 4 " + "3" * 900,
    ],
    -1.0: ["0 1 2", "0 1 2\n5 4", "0 1 2\n5 4 3\n6 7 8", "0 1 2 5 4 3", "0 1 2\n5 4 x", ""],
}
SAMPLES = {100: {"MAX_N_M": range(2, 5), "sparsity": 0.9}}


def test_the_completions_found_by_search_are_right(problem):
    found = set(completions(problem.matrix))
    assert problem.reference() in found
    assert all(problem.verify(f"<answer>{text}</answer>").correct for text in found)


def test_no_other_filling_is_right():
    for seed in range(10):
        problem = Numbrix.sample(Random(seed), MAX_N_M=2, sparsity=0.5)
        problem = PROBLEM if seed == 0 else problem
        N, M = problem.N, problem.M
        right = set()
        for values in permutations(range(N * M)):
            text = "\n".join(" ".join(map(str, values[k : k + M])) for k in range(0, N * M, M))
            if problem.verify(f"<answer>{text}</answer>").correct:
                right.add(text)
        assert right == set(completions(problem.matrix))


def completions(matrix):
    """All fillings, one number after the other."""
    N, M = len(matrix), len(matrix[0])
    places = {(i, j) for i in range(N) for j in range(M)}

    def extend(path):
        if len(path) == N * M:
            number = {cell: k for k, cell in enumerate(path)}
            yield "\n".join(" ".join(str(number[i, j]) for j in range(M)) for i in range(N))
            return
        i, j = path[-1] if path else (0, 0)
        beside = {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)} if path else places
        for cell in sorted(beside & places - set(path)):
            if matrix[cell[0]][cell[1]] in (-1, len(path)):
                yield from extend([*path, cell])

    yield from extend([])
