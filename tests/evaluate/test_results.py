import json
from itertools import combinations
from random import Random
from statistics import fmean

import msgspec
import pytest

import rlve
from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.backends import Sampling
from rlve.evaluate.results import (
    EvaluationPlan,
    EvaluationResults,
    StoredEvaluation,
    correct_by_question,
    read_evaluation,
    read_results,
    summarise,
    write_results,
)


def evaluation(folder, samples=4, metric="avg", k=1, seed=0, questions=None):
    """One with random outputs and verdicts."""
    rng = Random(seed)
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    if questions is None:
        questions = [
            ProblemRow(
                id=f"q{i}",
                environment=rng.choice(["Sorting", "Division"]),
                parameters=problem.parameters(),
                difficulty=rng.choice([0, 1, 3, None]),
            )
            for i in range(15)
        ]
    plan = EvaluationPlan(
        suite="few",
        sha="0",
        metric=metric,
        k=k,
        deadline=10,
        notes=["read with care"],
        model="m",
        backend="fake",
        format="plain",
        samples=samples,
        sampling=Sampling(),
        version="0",
    )
    outputs, verdicts = {}, {}
    for question in questions:
        skill = rng.uniform(0, 1)
        for sample in range(samples):
            key = SampleKey(question.id, sample)
            correct = rng.uniform(0, 1) < skill
            well = correct or rng.uniform(0, 1) < 0.5
            finish = rng.choice(["stop", "length"])
            outputs[key] = StoredOutput(*key, "text", finish, rng.randrange(100))
            reward = 1.0 if correct else rng.uniform(-0.5, 0.5) if well else -1.0
            verdicts[key] = SampleVerdict(
                id=key.id,
                sample=key.sample,
                reward=reward,
                correct=correct,
                well_formed=well,
                failed=reward < -0.9,
            )
    return StoredEvaluation(folder, plan, questions, outputs, verdicts)


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_what_counting_gives(tmp_path, seed):
    found = evaluation(tmp_path, seed=seed)
    results = summarise(found)
    groups = {"all": found.questions}
    for question in found.questions:
        groups.setdefault(question.environment, []).append(question)
        if question.difficulty is not None:
            groups.setdefault(question.difficulty, []).append(question)
    scores = {"all": results.overall, **results.environments, **results.levels}
    assert scores.keys() == groups.keys()
    for name, score in scores.items():
        ids = {question.id for question in groups[name]}
        verdicts = [v for key, v in found.verdicts.items() if key.id in ids]
        outputs = [o for key, o in found.outputs.items() if key.id in ids]
        assert score.questions == len(ids)
        assert score.outputs == len(verdicts) == 4 * len(ids)
        assert score.accuracy == pytest.approx(fmean(v.correct for v in verdicts))
        assert score.mean_reward == pytest.approx(fmean(v.reward for v in verdicts))
        assert score.ill_formed == pytest.approx(fmean(not v.well_formed for v in verdicts))
        assert score.truncated == pytest.approx(fmean(o.finish == "length" for o in outputs))
        assert score.failed == sum(v.failed for v in verdicts)
        assert score.mean_tokens == pytest.approx(fmean(o.tokens for o in outputs))
        low, high = score.accuracy_interval
        assert low - 1e-9 <= score.accuracy <= high + 1e-9
        assert set(score.pass_at) == {1, 2, 4}
        for k, value in score.pass_at.items():
            enumerated = fmean(
                any(found.verdicts[SampleKey(id_, sample)].correct for sample in chosen)
                for id_ in ids
                for chosen in combinations(range(4), k)
            )
            assert value == pytest.approx(enumerated)


def test_the_headline_is_what_the_suite_is_reported_by(tmp_path):
    headline = summarise(evaluation(tmp_path, samples=4)).headline
    assert headline.name == "Avg@4"
    results = summarise(evaluation(tmp_path, samples=6, metric="pass", k=3))
    assert results.headline.name == "Pass@3"
    assert results.headline.value == results.overall.pass_at[3]
    assert results.headline.interval[0] <= results.headline.value <= results.headline.interval[1]
    assert set(results.overall.pass_at) == {1, 2, 3, 4, 6}
    fewer = summarise(evaluation(tmp_path, samples=2, metric="pass", k=8)).headline
    assert fewer.name == "Pass@2"  # no more than there are samples


def test_results_come_back_from_their_file(tmp_path):
    results = summarise(evaluation(tmp_path))
    write_results(tmp_path, results)
    assert read_results(tmp_path) == results
    plain = json.loads((tmp_path / "results.json").read_text())
    assert plain["overall"]["accuracy"] == results.overall.accuracy
    assert list(plain["levels"]) == ["0", "1", "3"]
    assert plain["notes"] == ["read with care"]
    assert msgspec.json.decode(msgspec.json.encode(results), type=EvaluationResults) == results


def test_what_is_not_finished_is_refused(tmp_path):
    found = evaluation(tmp_path)
    first = next(iter(found.verdicts))
    del found.verdicts[first]
    with pytest.raises(
        UserError, match=r"1 of 60 verdicts are missing in .*; finish it with rlve score"
    ):
        summarise(found)
    del found.outputs[first]
    with pytest.raises(UserError, match="1 of 60 outputs are missing"):
        summarise(found)


def test_unknown_lengths_are_not_averaged(tmp_path):
    found = evaluation(tmp_path)
    key, output = next(iter(found.outputs.items()))
    found.outputs[key] = msgspec.structs.replace(output, tokens=None)
    assert summarise(found).overall.mean_tokens is None


def test_samples_are_in_order(tmp_path):
    found = evaluation(tmp_path)
    shuffled = dict(Random(3).sample(sorted(found.verdicts.items()), len(found.verdicts)))
    other = StoredEvaluation(tmp_path, found.plan, found.questions, found.outputs, shuffled)
    assert correct_by_question(other) == correct_by_question(found)
    assert len(correct_by_question(found)) == 15


def test_folders_that_are_none(tmp_path):
    with pytest.raises(UserError, match=r"not the folder of an evaluation: it has no plan\.json"):
        read_evaluation(tmp_path)
    with pytest.raises(UserError, match=r"has no results\.json; is the evaluation finished\?"):
        read_results(tmp_path)
    for name, read in (("plan.json", read_evaluation), ("results.json", read_results)):
        (tmp_path / name).write_text('{"kind": "eval", "suite": 3}')
        with pytest.raises(UserError, match=f"{name} is damaged: "):
            read(tmp_path)
