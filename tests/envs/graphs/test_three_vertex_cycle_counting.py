from itertools import combinations

import pytest

from rlve.envs.graphs.three_vertex_cycle_counting import ThreeVertexCycleCounting

COMPLETE = ThreeVertexCycleCounting(
    N=4, edge_ratio=1.5, edges=list(combinations(range(4), 2)), reference_answer=4
)
PATH = ThreeVertexCycleCounting(N=3, edge_ratio=1.0, edges=[(0, 1), (1, 2)], reference_answer=0)


@pytest.mark.parametrize(("d", "N", "ratios"), [(0, 5, 12), (1, 6, 17), (2, 7, 21), (20, 62, 21)])
def test_schedule(d, N, ratios):
    expected = [{"N": N, "edge_ratio": (10 + i) / 10} for i in range(ratios)]
    assert ThreeVertexCycleCounting.level(d) == expected


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4", 1.0),
        ("3", (3 / 4) ** 10),
        ("5", (4 / 5) ** 10),
        ("0", 0.0),
        ("1" + "0" * 999, 0.0),
        ("-4", -1.0),
        ("", -1.0),
        ("4.0", -1.0),
    ],
)
def test_rewards(answer, reward):
    verdict = COMPLETE.verify(f"<answer>{answer}</answer>")
    assert verdict.reward == pytest.approx(reward)


@pytest.mark.parametrize(("answer", "reward"), [("0", 1.0), ("1", 0.0), ("-1", -1.0)])
def test_rewards_without_triangles(answer, reward):
    assert PATH.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_count_over_all_triples():
    for seed in range(150):
        problem = ThreeVertexCycleCounting.generate(difficulty=seed % 8, seed=seed)
        edges = set(problem.edges)
        triples = combinations(range(problem.N), 3)
        closed = sum(edges.issuperset(combinations(triple, 2)) for triple in triples)
        assert problem.reference_answer == closed
