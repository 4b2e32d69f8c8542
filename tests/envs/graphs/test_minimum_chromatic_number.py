import pytest

from rlve.envs.graphs.minimum_chromatic_number import MinimumChromaticNumber

# A triangle 0 1 2 with a tail 2 3, and the isolated vertex 4.
PROBLEM = MinimumChromaticNumber(
    N=5,
    edge_density=0.45,
    edges=[(0, 1), (1, 2), (0, 2), (2, 3)],
    reference_answer="0 1 2 0 0",
    gold_answer=3,
)


def test_schedule():
    densities = [level["edge_density"] for level in MinimumChromaticNumber.level(0)]
    assert densities == [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]  # some edge
    assert [MinimumChromaticNumber.level(d)[0]["N"] for d in (0, 1, 7, 20)] == [5, 6, 12, 25]
    assert len(MinimumChromaticNumber.level(7)) == 11


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1 2 0 0", 1.0),
        ("7 -5 100 7 -5", 1.0),  # any integers
        ("0 1 2 3 0", (3 / 4) ** 5),
        ("0 1 2 3 4", (3 / 5) ** 5),
        ("0 1 2 2 0", -0.5),  # the ends of (2, 3) are alike
        ("0 1 2 0", -0.5),  # too few
        ("0 1 2 0 0 0", -0.5),  # too many
        ("", -0.5),
        ("a b c a a", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_fewest_colours_of_all_colourings():
    for seed in range(120):
        problem = MinimumChromaticNumber.generate(difficulty=seed % 4, seed=seed)
        assert problem.gold_answer == min(counts(problem, []))
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def counts(problem, colours):
    """The numbers of colours in all colourings that begin like this, up to renaming."""
    v = len(colours)
    if v == problem.N:
        yield len(set(colours))
        return
    taken = {colours[min(edge)] for edge in problem.edges if v in edge and min(edge) < v}
    for colour in range(len(set(colours)) + 1):
        if colour not in taken:
            yield from counts(problem, [*colours, colour])
