import sys
from collections import Counter

import pytest

import rlve
from rlve import registry
from rlve.collections import HELD_OUT
from rlve.evaluate.testsets import Drawing, held_out_suite, in_distribution_suite
from rlve.formats import BASE
from rlve.pool import Pool

TASKS = '''
from rlve import Environment
from rlve.answers import integer


class Few(Environment[int]):
    """Repeat a number; below difficulty 3 there are only the numbers 0 to 5."""

    n: int
    hidden: int = 0

    template = "Say {n}.\\n\\nOutput format: one integer."

    @classmethod
    def level(cls, d):
        return [{"size": 6 if d < 3 else 10_000}]

    @classmethod
    def sample(cls, rng, size):
        return cls(n=rng.randrange(size), hidden=rng.randrange(1_000))

    def reference(self):
        return str(self.n)

    def parse(self, text):
        return integer(text)

    def score(self, answer):
        return float(answer == self.n)


class Low(Few):
    """The same, up to difficulty 4."""

    max_difficulty = 4
'''


@pytest.fixture
def few_tasks(tmp_path, monkeypatch):
    (tmp_path / "few_tasks.py").write_text(TASKS)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(registry, "_registered", {})
    yield
    sys.modules.pop("few_tasks", None)


@pytest.fixture(scope="module")
def held_out():
    return held_out_suite(drawing=Drawing(workers=2))


def test_held_out_has_50_distinct_problems_of_each_of_50_environments(held_out):
    counts = Counter(question.environment for question in held_out.questions)
    assert counts == dict.fromkeys(HELD_OUT, 50)
    problems = [question.problem() for question in held_out.questions]
    assert len({(type(problem), str(problem.parameters())) for problem in problems}) == 2_500
    assert len({(type(problem), problem.prompt()) for problem in problems}) == 2_500
    for question, problem in zip(held_out.questions, problems, strict=True):
        made = type(problem).generate(difficulty=question.difficulty, seed=question.seed)
        assert made == problem
        assert question.prompt is None
        assert question.answer is not None


def test_held_out_has_10_problems_at_each_difficulty_or_says_so(held_out):
    cells = Counter((question.environment, question.difficulty) for question in held_out.questions)
    uneven = {name for name in HELD_OUT if any(cells[name, d] != 10 for d in range(5))}
    assert uneven == {note.partition(":")[0] for note in held_out.notes}
    # These have not even 10 problems at difficulty 0; one has 17 below difficulty 5, and not 50.
    assert uneven == {
        "EvenDegreeGraphPartitioning",
        "SmallestBinaryMultiple",
        "SubsetSumSequence",
    }
    above = {question.environment for question in held_out.questions if question.difficulty > 4}
    assert above == {"SmallestBinaryMultiple"}


@pytest.mark.parametrize(
    ("marker", "output"),
    [("boxed", r"Let me see. \boxed{%s}"), ("answer", "<think>...</think> <answer>%s</answer>")],
)
def test_a_perfect_policy_scores_100_percent(held_out, marker, output):
    items = [(question.problem(), output % question.answer) for question in held_out.questions]
    with Pool(2) as pool:
        assert all(verdict.correct for verdict in pool.judge(items, marker=marker))


def test_the_set_depends_on_the_seed_and_not_on_the_workers():
    one, two, other = (
        held_out_suite(count=5, drawing=Drawing(seed=seed, workers=workers))
        for seed, workers in ((0, 1), (0, 2), (1, 2))
    )
    assert one == two
    assert one.sha != other.sha
    assert not {q.id for q in one.questions} & {q.id for q in other.questions}


def test_a_format_fixes_the_prompts():
    suite = in_distribution_suite("Sorting", count=3, drawing=Drawing(format=BASE, workers=1))
    for question in suite.questions:
        assert question.asked(BASE) == (question.prompt, "answer")
        assert question.prompt == BASE.render(question.problem())


def test_in_distribution_has_4000_problems_evenly_over_20_difficulties():
    suite = in_distribution_suite("Multiplication", drawing=Drawing(workers=2))
    counts = Counter(question.difficulty for question in suite.questions)
    assert len({question.problem().prompt() for question in suite.questions}) == 4_000
    assert counts == dict.fromkeys(range(20), 200)
    assert suite.notes == ()
    assert suite.name == "in-distribution:Multiplication"


def test_the_difficulties_that_there_are_share_the_problems():
    highest = rlve.environment("Sudoku").max_difficulty
    assert highest is not None
    suite = in_distribution_suite("Sudoku", count=20, drawing=Drawing(workers=1))
    counts = Counter(question.difficulty for question in suite.questions)
    assert set(counts) == set(range(highest + 1))
    assert max(counts.values()) - min(counts.values()) == 1
    assert suite.notes == (
        f"the highest difficulty of Sudoku is {highest}, not 19: its problems are spread over "
        f"0..{highest}",
    )


def test_a_difficulty_without_enough_problems_gives_what_it_has(few_tasks):
    suite = in_distribution_suite("few_tasks:Low", count=50, drawing=Drawing(workers=1))
    counts = Counter(question.difficulty for question in suite.questions)
    assert len({question.problem().prompt() for question in suite.questions}) == 50
    assert counts == {0: 6, 3: 22, 4: 22}
    assert suite.notes[1] == (
        "Low: too few distinct problems at difficulty 0 (6 of 10), 1 (0 of 10), 2 (0 of 10); more "
        "are from 3, 4"
    )
