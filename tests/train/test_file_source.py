"""Teaching from a file of prompts and outputs."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="teaching needs rlve[train]")

import rlve
from rlve.cli import main
from rlve.datasets.examples import read_examples
from rlve.formats import PLAIN
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_policy
from rlve.pool import Pool
from rlve.train.config import RunConfig
from rlve.train.teaching import TeachingRun
from rlve.train.teaching.config import teaching_config
from rlve.train.teaching.file_source import FileSource

PROBLEM = rlve.environment("Sorting").generate(difficulty=1, seed=5)
MESSAGES = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "four"}]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row_of(problem, text):
    return {
        "environment": "Sorting",
        "parameters": json.dumps(problem.parameters()),
        "difficulty": 1,
        "prompt": PLAIN.render(problem),
        "completion": text,
    }


@pytest.fixture
def policy():
    return load_policy(PolicyConfig(model="nano", format="plain", device="cpu"), context=64)


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


def test_rows_of_every_shape_are_read(tmp_path):
    own = row_of(PROBLEM, "<answer>1 2</answer>")
    rows = [
        own,
        {"messages": MESSAGES},
        {"prompt": MESSAGES[:1], "completion": MESSAGES[1:]},
        {"prompt": "2 + 2 =", "completion": " 4", "environment": "somebody's"},
    ]
    read = read_examples(write(tmp_path / "examples.jsonl", rows))
    assert [example.output for example in read] == ["<answer>1 2</answer>", "four", "four", " 4"]
    assert [example.prompt for example in read[1:]] == [MESSAGES[:1], MESSAGES[:1], "2 + 2 ="]
    assert read[0].row.problem() == PROBLEM
    assert [example.row for example in read[1:]] == [None] * 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"messages": MESSAGES[:1]}, "an example has"),
        ({"prompt": "?"}, "an example has"),
        ({"prompt": 3, "completion": "x"}, "not an example"),
        ({}, "an example has"),
    ],
)
def test_a_row_without_an_output_is_named(tmp_path, row, message):
    path = write(tmp_path / "examples.jsonl", [{"messages": MESSAGES}, row])
    with pytest.raises(rlve.UserError, match=rf"examples.jsonl:2: {message}"):
        read_examples(path)
    with pytest.raises(rlve.UserError, match="has no examples"):
        read_examples(write(path, []))


def test_each_epoch_takes_all_examples_in_an_order_of_its_own(tmp_path, policy, pool):
    texts = [f"<answer>{n}</answer>" for n in range(12)]
    rows = [row_of(PROBLEM, text) for text in texts] + [row_of(PROBLEM, "long " * 200)]
    path = write(tmp_path / "examples.jsonl", rows)
    data = replace(teaching_config("nano").data, examples=6)

    def source():
        return FileSource(path, data, policy, pool, seed=3)

    first = source()
    batches = [first.take() for _ in range(4)]
    epochs = [batches[0] + batches[1], batches[2] + batches[3]]
    for epoch in epochs:
        assert sorted(example.seed for example in epoch) == list(range(12))
    assert [e.seed for e in epochs[0]] != [e.seed for e in epochs[1]]
    assert first.left_out == {"Sorting": {"answer too long": 1}}
    example = epochs[0][0]
    assert example.problem == PROBLEM
    assert policy.tokenizer.decode(example.answer[:-1]) == texts[example.seed]
    assert example.prompt == policy.encode(PROBLEM)
    resumed = source()
    resumed.load_state_dict({"position": 6, "examples": 12})
    assert resumed.take() == batches[1]
    with pytest.raises(rlve.UserError, match="has changed since the run began"):
        resumed.load_state_dict({"position": 6, "examples": 11})
    short = replace(data, max_answer_tokens=2)
    with pytest.raises(rlve.UserError, match="every prompt or output"):
        FileSource(path, short, policy, pool, seed=3)


def test_a_model_learns_the_outputs_of_a_file(tmp_path):
    problems = [rlve.environment("Sorting").generate(difficulty=0, seed=n) for n in range(8)]
    rows = [row_of(p, f" <answer>{p.reference()}</answer>") for p in problems]
    config = teaching_config("nano")
    config = replace(
        config,
        data=replace(config.data, file=write(tmp_path / "own.jsonl", rows), examples=8),
        update=replace(config.update, learning_rate=1e-3, warmup_steps=0),
        validation=replace(config.validation, every=0),
        run=RunConfig(folder=tmp_path / "run", steps=6, workers=1),
    )
    with TeachingRun(config) as run:
        losses = [metrics.loss for metrics in run]
    assert losses[-1] < losses[0] / 2


def test_worked_solutions_and_a_file_exclude_each_other(tmp_path, capsys):
    path = write(tmp_path / "own.jsonl", [{"messages": MESSAGES}])
    assert main(["teach", "--data.file", str(path), "--data.worked", "only"]) == 2
    assert "data.file says what is taught" in capsys.readouterr().err
