import re

import msgspec
import pytest

import rlve
from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput
from rlve.datasets.rows import ProblemRow
from rlve.evaluate.backends import Sampling
from rlve.evaluate.results import EvaluationPlan, StoredEvaluation, summarise
from rlve.reports.evaluation import SHOWN_AT_MOST, choose_outputs, page

HOSTILE = "</pre><script>alert('&')</script> $x$ \\boxed{"


def evaluation(folder, names=("Sorting", "Division"), samples=2, text=HOSTILE, tokens=7):
    questions = []
    for i, name in enumerate(names):
        for d in range(2):
            problem = rlve.environment("Sorting").generate(difficulty=d, seed=i)
            questions.append(
                ProblemRow(
                    id=f"{name}/{d}",
                    environment=name,
                    parameters=problem.parameters(),
                    prompt=f"prompt {text}",
                    answer=f"answer {text}",
                    difficulty=d,
                )
            )
    plan = EvaluationPlan(
        suite=f"suite {text}",
        sha="0",
        metric="avg",
        k=1,
        deadline=10,
        notes=[f"note {text}"],
        model=f"model {text}",
        backend="fake",
        format="plain",
        samples=samples,
        sampling=Sampling(),
        version="0",
    )
    keys = [SampleKey(question.id, sample) for question in questions for sample in range(samples)]
    outputs, verdicts = {}, {}
    for i, key in enumerate(keys):
        outputs[key] = StoredOutput(
            *key, f"output {text}", "length" if i % 5 == 0 else "stop", tokens
        )
        verdicts[key] = SampleVerdict(
            id=key.id,
            sample=key.sample,
            reward=[1.0, -1.0, 0.3][i % 3],
            correct=i % 3 == 0,
            well_formed=i % 3 != 1,
        )
    return StoredEvaluation(folder, plan, questions, outputs, verdicts)


def test_the_page_is_whole_and_everything_on_it_is_escaped(tmp_path):
    found = evaluation(tmp_path)
    html = page(found, summarise(found))
    assert "<script" not in html
    for what in ("prompt", "answer", "output", "note", "suite", "model"):
        assert f"{what} &lt;/pre&gt;&lt;script&gt;" in html
    assert html.count("data:image/png;base64,") == 3
    assert not re.search(r'(src|href)="(?!data:)', html)  # it needs no other file
    for words in ("By environment", "By difficulty", "Pass@2", "truncated", "ill-formed"):
        assert words in html


def test_names_of_environments_are_escaped_too(tmp_path):
    html = page(found := evaluation(tmp_path, names=("<b>$A$", "B")), summarise(found))
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


def test_a_benchmark_has_no_environments_to_compare(tmp_path):
    found = evaluation(tmp_path, names=("Sorting",), samples=1, tokens=None)
    questions = [msgspec.structs.replace(q, difficulty=None) for q in found.questions]
    found = StoredEvaluation(tmp_path, found.plan, questions, found.outputs, found.verdicts)
    html = page(found, summarise(found))
    assert "By environment" not in html
    assert "By difficulty" not in html
    assert html.count("data:image/png;base64,") == 1


def test_hundreds_of_environments_have_room(tmp_path):
    found = evaluation(tmp_path, names=[f"E{i}" for i in range(150)], samples=1)
    assert page(found, summarise(found)).count("data:image/png;base64,") == 3


@pytest.mark.parametrize(("names", "samples"), [(1, 1), (1, 9), (2, 3), (3, 1), (8, 2), (50, 1)])
def test_outputs_are_chosen_from_many_environments_right_and_wrong(tmp_path, names, samples):
    found = evaluation(tmp_path, names=[f"E{i}" for i in range(names)], samples=samples)
    shown = choose_outputs(found)
    assert len(shown) == min(SHOWN_AT_MOST, 2 * names * samples)
    keys = [key for _, key in shown]
    assert len(set(keys)) == len(keys)
    assert all(question.id == key.id for question, key in shown)
    assert len({question.environment for question, _ in shown}) == min(names, SHOWN_AT_MOST)
    if len(shown) == SHOWN_AT_MOST:
        assert {found.verdicts[key].correct for key in keys} == {True, False}


def test_long_outputs_are_shortened(tmp_path):
    found = evaluation(tmp_path, text="x" * 50_000)
    html = page(found, summarise(found))
    assert html.count("characters left out") == 3 * len(
        choose_outputs(found)
    )  # prompt, answer, output
