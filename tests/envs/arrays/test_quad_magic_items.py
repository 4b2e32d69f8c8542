from rlve.envs.arrays.quad_magic_items import QuadMagicItems

PROBLEM = QuadMagicItems(
    N=5,
    X=[3, 11, 1, 10, 3],
    gold_answer=[(0, 1, 0, 0), (0, 0, 0, 2), (2, 0, 0, 0), (0, 0, 2, 0), (0, 1, 0, 0)],
    reference_answer="0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 0\n0 1 0 0",
)
SCHEDULE = {0: {"N": 12}, 1: {"N": 14}, 2: {"N": 16}, 20: {"N": 114}}
REWARDS = {
    1.0: [
        "0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 0\n0 1 0 0",
        "0 1 0 0\n\n0 0 0 2\n2 0 0 0\n0 0 2 0\n0 1 0 0\n",
    ],
    (4 / 5) ** 10: ["0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 1\n0 1 0 0"],
    0.0: ["0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0"],
    -1.0: [
        "0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 0",
        "0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 0\n0 1 0",
        "0 1 0 0\n0 0 0 2\n2 0 0 0\n0 0 2 0\n0 1 0 a",
        "",
    ],
}
SAMPLES = {100: {"difficulty": [0, 1]}}


def test_counts_are_those_of_all_choices_of_four_items(problem):
    X = problem.X
    roles = [[0, 0, 0, 0] for _ in X]
    items = range(len(X))
    for a in items:
        for b in items:
            for c in items:
                gap = X[b] - X[a]
                if gap <= 0 or 3 * gap >= X[c] - X[b]:
                    continue
                for d in items:
                    if X[c] < X[d] and gap == 2 * (X[d] - X[c]):
                        for role, item in enumerate((a, b, c, d)):
                            roles[item][role] += 1
    assert problem.gold_answer == [tuple(row) for row in roles]
    assert any(map(any, problem.gold_answer))
