import json
import os
from collections import Counter
from pathlib import Path

import pytest

from rlve.collections import HELD_OUT
from rlve.envs.arrays.sorting import Sorting
from rlve.envs.graphs.minimum_spanning_tree import MinimumSpanningTree
from rlve.errors import UserError
from rlve.evaluate.suite import load_suite
from rlve.formats import BASE, CHAT
from rlve.pool import Pool

DATA = Path(os.environ.get("RLVE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILE = DATA / "held_out_published.json"

PROBLEMS = [
    Sorting.generate(difficulty=1, seed=1),
    Sorting.generate(difficulty=1, seed=2),
    MinimumSpanningTree.generate(difficulty=1, seed=3),
]


def entry(problem, prompt="Do it.", **config):
    metadata = {
        "environment": type(problem).__name__,
        "config": {"seed": 0, "parameter": problem.parameters()} | config,
    }
    return {"user_prompt": prompt, "metadata": json.dumps(metadata)}


@pytest.fixture
def written(tmp_path):
    def write(entries):
        file = tmp_path / "theirs.json"
        file.write_text(entries if isinstance(entries, str) else json.dumps(entries, indent=1))
        return file

    return write


@pytest.mark.parametrize("prefix", ["", "published:"])
def test_problems_are_shown_with_their_own_statements(written, prefix):
    file = written([entry(problem, f"Do {i}.") for i, problem in enumerate(PROBLEMS)])
    suite = load_suite(f"{prefix}{file}")
    assert (suite.name, suite.notes) == ("theirs", ())
    assert [question.problem() for question in suite.questions] == PROBLEMS
    assert [question.id for question in suite.questions] == [
        "Sorting/published/1",
        "Sorting/published/2",
        "MinimumSpanningTree/published/1",
    ]
    assert suite.questions[1].asked(BASE) == (BASE.wrap("Do 1."), "answer")
    assert suite.questions[2].asked(CHAT) == (CHAT.wrap("Do 2."), "boxed")


@pytest.mark.parametrize("prompt", [None, "", "(left out)"])
def test_a_file_without_prompts_is_shown_with_ours_and_says_so(written, prompt):
    suite = load_suite(str(written([entry(problem, prompt) for problem in PROBLEMS])))
    (note,) = suite.notes
    assert "rlve's own statements are used instead" in note
    assert (repr(prompt) if prompt else "has no prompts") in note
    assert suite.questions[0].asked(CHAT) == (CHAT.render(PROBLEMS[0]), "boxed")


def test_a_single_problem_keeps_its_prompt(written):
    suite = load_suite(str(written([entry(PROBLEMS[0], "Do it.")])))
    assert suite.questions[0].statement == "Do it."


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (3, "not a published problem: Expected `object`"),
        ({"user_prompt": "x"}, "not a published problem: .*missing required field `metadata`"),
        ({"metadata": "{"}, "not a published problem: "),
        ({"metadata": '{"environment": "Sorting"}'}, "missing required field `config`"),
        (
            {"metadata": '{"environment": "Sortin", "config": {"parameter": {}}}'},
            "did you mean 'Sorting'",
        ),
        ({"user_prompt": "1 + 1?", "ground_truth": "2"}, "to load one, name it: aime-2024:FILE"),
    ],
)
def test_a_broken_entry_is_named(written, second, message):
    with pytest.raises(UserError, match=f"theirs.json: entry 2: .*{message}"):
        load_suite(str(written([entry(PROBLEMS[0]), second])))


def test_a_file_that_is_no_list(written):
    for text in ("[", "[1", '{"a": 1}'):
        with pytest.raises(UserError, match=r"theirs\.json: not a list of published problems: "):
            load_suite(f"published:{written(text)}")
    with pytest.raises(UserError, match=r"cannot read no/file.json: No such file"):
        load_suite("published:no/file.json")


@pytest.mark.skipif(
    not FILE.exists(), reason=f"the published problems are not here: {FILE} (set RLVE_DATA)"
)
def test_the_stored_answers_of_the_published_set_score_100_percent():
    suite = load_suite(str(FILE))
    counts = Counter(question.environment for question in suite.questions)
    assert counts == dict.fromkeys(HELD_OUT, 50)
    items, stored = [], 0
    for question, raw in zip(suite.questions, json.loads(FILE.read_text()), strict=True):
        problem = question.problem()
        threshold = json.loads(raw["metadata"])["config"]["passing_reward_threshold"]
        assert problem.passing == pytest.approx(threshold, rel=1e-6)
        stored += question.answer is not None
        answer = problem.reference() if question.answer is None else question.answer
        items.append((problem, rf"So it is \boxed{{{answer}}}."))
    assert stored == 2_250  # the others have none: their references are computed
    with Pool(2) as pool:
        assert sum(verdict.correct for verdict in pool.judge(items, marker="boxed")) == 2_500
