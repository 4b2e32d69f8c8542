from itertools import product

from rlve.envs.graphs.even_degree_graph_partitioning import EvenDegreeGraphPartitioning

PROBLEM = EvenDegreeGraphPartitioning(
    N=4, edges=[(0, 1), (1, 2), (2, 3)], reference_answer="1 2 1 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["1 2 1 2", "2 1 2 1"],
    (2 / 4) ** 10: ["1 1 2 1"],
    0.0: ["1 1 2 2"],
    -0.5: [
        "1 2 1",  # too few
        "1 2 1 2 1",  # too many
        "1 2 1 3",
        "0 1 0 1",
        "",
    ],
    -1.0: ["1, 2, 1, 2"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_right_are_just_the_labellings_with_even_numbers(problem):
    for labels in product((1, 2), repeat=problem.N):
        yield labels, all_even(problem, labels)


def all_even(problem, labels):
    return all(
        sum(v in edge and labels[edge[0]] == labels[edge[1]] for edge in problem.edges) % 2 == 0
        for v in range(problem.N)
    )
