import json
from dataclasses import replace

import msgspec
import pytest

import rlve
from rlve.contract import Verdict
from rlve.datasets.export import export
from rlve.datasets.rows import row_writer
from rlve.judges.math import MathQuestion
from rlve.pool import Pool
from rlve.registry import registered
from rlve.train.config import DataConfig, ValidationConfig
from rlve.train.history import read_steps, read_validations
from rlve.train.rlvr import DatasetProblem, DatasetStream, load_questions
from rlve.train.trainer import train
from support.misbehaving import Trapped
from support.run_tiny import tiny_config

pytest.importorskip("mpmath")

ROWS = [{"prompt": f"{i} and 1?", "ground_truth": str(i + 1)} for i in range(7)]


@pytest.fixture(scope="module")
def pool():
    with Pool(1, deadline=60) as pool:
        yield pool


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_no_answer_and_endless_answers_are_ill_formed():
    question = MathQuestion(question="?", ground_truth="3")
    for output in ("3", r"\boxed{}", r"\boxed{" + "3+" * 2000 + "3}"):
        assert question.verify(output).well_formed is False


def test_a_hostile_answer_costs_only_itself():
    question = MathQuestion(question="?", ground_truth="3")
    hostile = [r"\boxed{9^{9^{9^{9}}}}", r"\boxed{(10^{100000})!}", r"\boxed{3}"]
    with Pool(1, deadline=3) as pool:
        pool.judge([(question, r"\boxed{3.0}")])  # imports are not an answer's fault
        judged = pool.judge([(question, output) for output in hostile])
    right = [isinstance(each, Verdict) and each.correct for each in judged]
    assert right == [False, False, True]


def test_every_epoch_has_every_question_once_in_another_order(jsonl, pool):
    questions = load_questions(jsonl, pool)
    stream = DatasetStream(questions, seed=3)
    first = [item.seed for item in stream.take(7)]
    state = json.loads(json.dumps(stream.state_dict()))
    second = [item.seed for item in stream.take(7)]
    assert sorted(first) == sorted(second) == list(range(7))
    assert first != second
    resumed = DatasetStream(questions, seed=0)
    resumed.load_state_dict(state)
    assert [item.seed for item in resumed.take(7)] == second


def test_another_data_set_of_the_same_size_is_noticed(jsonl, pool):
    questions = load_questions(jsonl, pool)
    stream = DatasetStream(questions, seed=3)
    stream.take(3)
    state = json.loads(json.dumps(stream.state_dict()))
    question = MathQuestion(question="6 and 1?", ground_truth="8")
    changed = DatasetStream([*questions[:6], DatasetProblem(question)], seed=3)
    with pytest.raises(rlve.UserError, match="the data set has changed"):
        changed.load_state_dict(state)


def test_what_is_put_back_comes_first(jsonl, pool):
    questions = load_questions(jsonl, pool)
    stream = DatasetStream(questions, seed=3)
    items = stream.take(9)
    stream.put_back([items[8], items[2], items[5]])
    resumed = DatasetStream(questions, seed=0)
    resumed.load_state_dict(json.loads(json.dumps(stream.state_dict())))
    for each in (stream, resumed):
        assert each.take(2) == [items[2], items[5]]
        again, fresh = each.take(2)
        assert again == items[8]
        assert fresh.position == 9


def test_formats_of_files(tmp_path, jsonl, pool):
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "data.json").write_text(json.dumps(ROWS))
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "data.parquet")
    messages = [{"problem": [{"role": "user", "content": "0 and 1?"}], "answer": 1}]
    (tmp_path / "chat.json").write_text(json.dumps(messages))
    assert load_questions(tmp_path / "data.json", pool) == load_questions(jsonl, pool)
    assert load_questions(tmp_path / "data.parquet", pool) == load_questions(jsonl, pool)
    assert load_questions(tmp_path / "chat.json", pool) == load_questions(jsonl, pool)[:1]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "contains no questions"),
        ('{"prompt": "a"\n', "broken.jsonl:1"),
        ('{"prompt": "a", "ground_truth": "1"}\n{"prompt": "b"}\n', "broken.jsonl:2"),
        ("[1]\n", "not a record"),
    ],
)
def test_broken_files_are_named(tmp_path, text, complaint, pool):
    path = tmp_path / "broken.jsonl"
    path.write_text(text)
    with pytest.raises(rlve.UserError, match=complaint):
        load_questions(path, pool)
    with pytest.raises(rlve.UserError, match="there is no file"):
        load_questions(tmp_path / "none.jsonl", pool)


def test_training_on_a_data_set_and_going_on_with_it(tiny_policy, tmp_path, jsonl):
    def config_of(folder, steps):
        config = tiny_config(tiny_policy, folder, steps=steps, validation=ValidationConfig())
        return replace(config, data=DataConfig(dataset=jsonl, max_prompt_tokens=64))

    whole, part = tmp_path / "whole", tmp_path / "part"
    assert train(config_of(whole, 5)).step == 5
    steps = read_steps(whole)
    assert steps[-1].bounds == {"MathQuestion": (0, 0)}
    assert any(step.cached_groups for step in steps)
    assert not (whole / "validation.jsonl").exists()  # there are no levels to measure
    train(config_of(part, 3))
    assert train(config_of(part, 5), resume=True).step == 5
    without_time = [
        [msgspec.structs.replace(step, seconds={}) for step in read_steps(folder)]
        for folder in (whole, part)
    ]
    assert without_time[0] == without_time[1]


def test_questions_beyond_the_limit_are_left_out_and_counted(tiny_policy, tmp_path, jsonl):
    with jsonl.open("a") as file:
        file.write(json.dumps({"prompt": "1 and 1? " * 40, "ground_truth": "2"}) + "\n")
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    train(replace(config, data=DataConfig(dataset=jsonl, max_prompt_tokens=64)))
    [metrics] = read_steps(tmp_path / "run")
    assert metrics.redrawn == {"MathQuestion": {"too long": 1}}
    with pytest.raises(rlve.UserError, match="more than 1 tokens"):
        train(
            replace(
                tiny_config(tiny_policy, tmp_path / "other", steps=1),
                data=DataConfig(dataset=jsonl, max_prompt_tokens=1),
            )
        )


# Problems of the gym, as `rlve dataset` exports them.


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "problems.jsonl"
    with Pool(1) as pool, row_writer(path) as write:
        classes = [rlve.environment("Successor"), rlve.environment("Sorting")]
        export(classes, pool, write, count=9, difficulties=range(1, 3), duplicates=True)
    return path


def test_exported_problems_keep_their_environments_and_levels(exported, pool):
    questions = load_questions(exported, pool)
    rows = [json.loads(line) for line in exported.read_text().splitlines()]
    assert [(q.name, q.difficulty) for q in questions] == [
        (row["environment"], row["difficulty"]) for row in rows
    ]
    for question, row in zip(questions, rows, strict=True):
        assert question.problem.verify(f"\\boxed{{{row['answer']}}}").correct
    stream = DatasetStream(questions, seed=1)
    assert stream.curriculum.names == ("Sorting", "Successor")
    assert stream.curriculum.bounds("Successor") == (1, 2)
    epochs = [stream.take(9), stream.take(9)]
    for items in epochs:
        assert sorted(item.seed for item in items) == list(range(9))
        for item in items:
            assert item.problem == questions[item.seed].problem
            assert (item.name, item.difficulty) == (
                questions[item.seed].name,
                questions[item.seed].difficulty,
            )


def test_a_hostile_export_is_refused_in_time(tmp_path):
    hostile = tmp_path / "hostile.jsonl"
    with registered(Trapped), Pool(1, deadline=5) as pool:
        for how, kind in (("loop", "deadline"), ("crash", "crash")):
            rows = [{"environment": "Trapped", "parameters": {"how": h}} for h in ("well", how)]
            hostile.write_text("".join(json.dumps(row) + "\n" for row in rows))
            with pytest.raises(rlve.UserError, match=rf"hostile.jsonl:2: {kind}: "):
                load_questions(hostile, pool)


def test_a_broken_export_is_named(exported, tmp_path, pool):
    broken = tmp_path / "broken.jsonl"
    first, *_ = exported.read_text().splitlines()
    broken.write_text(f"{first}\n" + json.dumps({"environment": "Sorting"}) + "\n")
    with pytest.raises(rlve.UserError, match=r'broken.jsonl:2: the row has neither "param'):
        load_questions(broken, pool)
    broken.write_text(json.dumps({"environment": "Sortin", "parameters": {}}) + "\n")
    with pytest.raises(rlve.UserError, match=r"broken.jsonl:1: .*did you mean 'Sorting'"):
        load_questions(broken, pool)


def test_training_on_exported_problems_is_measured_on_new_ones(tiny_policy, tmp_path, exported):
    validation = ValidationConfig(levels=(0, 3), problems=4, every=2, temperatures=(1.0,))
    whole = tmp_path / "whole"
    config = tiny_config(tiny_policy, whole, steps=4, validation=validation)
    train(replace(config, data=DataConfig(dataset=exported, max_prompt_tokens=64)))
    [first, _, last] = read_validations(whole)
    assert [*first.measured[0].by_level] == ["Sorting", "Successor"]
    assert last.step == 4
    steps = read_steps(whole)
    assert steps[-1].bounds == {"Sorting": (1, 2), "Successor": (1, 2)}
