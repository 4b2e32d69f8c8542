from rlve.envs.trees.tree_maximum_visited_vertex import TreeMaximumVisitedVertex
from support.graphs import beside

# 0 - 2 - 3, with 1 on 0.
PROBLEM = TreeMaximumVisitedVertex(N=4, M=3, edges=[(0, 2), (2, 3), (0, 1)], gold_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 2 3 2", "0 1 0 2"],
    (2 / 3) ** 3: ["0 1 0 1"],
    -0.5: [
        "0 2 3",
        "0 2 3 2 0",
        "1 0 2 3",  # does not start at 0
        "0 3 2 0",
        "0 0 2 3",
        "0 2 3 4",
        "0 -1 0 2",
    ],
    -1.0: ["", "0, 2, 3, 2"],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_walks(problem):
    joined = beside(problem.edges)
    states = {(0, frozenset([0]))}
    for _ in range(problem.M):
        states = {(w, seen | {w}) for v, seen in states for w in joined[v]}
    assert problem.gold_answer == max(len(seen) for _, seen in states)


def test_moves_that_are_left_are_made_at_the_end():
    problem = TreeMaximumVisitedVertex(N=3, M=9, edges=[(0, 2), (0, 1)], gold_answer=3)
    assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
