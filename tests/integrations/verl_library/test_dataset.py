"""The data set under the data loader that verl makes of it."""

import json
from itertools import islice

import pytest

pytest.importorskip("verl", reason="needs rlve[verl]; run make test-verl")

from importlib.resources import files

from omegaconf import OmegaConf
from torchdata.stateful_dataloader import StatefulDataLoader
from transformers import AutoTokenizer
from verl.trainer.ppo.utils import create_rl_dataset, create_rl_sampler
from verl.utils.dataset.rl_dataset import collate_fn

from rlve.cli import main
from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.integrations.verl.ledger import report
from rlve.integrations.verl.reward import compute_score
from rlve.registry import environment

NAMES = ["Sorting", "EuclidGame"]


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(str(files("rlve.models") / "nano"))


def settings(**rlve):
    return OmegaConf.create(
        {
            "custom_cls": {
                "path": "pkg://rlve.integrations.verl.dataset",
                "name": "ProblemDataset",
            },
            "max_prompt_length": 512,
            "shuffle": False,
            "dataloader_num_workers": 0,
            "apply_chat_template_kwargs": {},
            "rlve": {"group": 4, "format": "plain", "workers": 1} | rlve,
        }
    )


def loader(data_files, tokenizer, config, size=1):
    dataset = create_rl_dataset(data_files, config, tokenizer, None)
    return StatefulDataLoader(
        dataset, size, collate_fn=collate_fn, sampler=create_rl_sampler(config, dataset)
    )


def problems(batches):
    return [row["ground_truth"] for batch in batches for row in batch["reward_model"]]


def test_rows_are_what_verl_and_the_reward_function_need(tokenizer):
    batch = next(iter(loader(NAMES, tokenizer, settings(), size=3)))
    for place in range(3):
        row = json.loads(batch["reward_model"][place]["ground_truth"])
        problem = environment(row["environment"]).from_parameters(json.loads(row["parameters"]))
        assert batch["data_source"][place] == f"rlve/{row['environment']}"
        assert batch["index"][place] == place
        [turn] = batch["raw_prompt"][place]
        assert turn["content"].startswith(problem.prompt())
        report = compute_score(
            data_source=batch["data_source"][place],
            solution_str=f"<answer>{problem.reference()}</answer>",
            ground_truth=batch["reward_model"][place]["ground_truth"],
            extra_info=batch["extra_info"][place],
        )
        assert report["score"] == report["acc"] == 1
        assert report["difficulty"] == row["difficulty"] == 0


def test_problems_come_from_the_curriculum_as_it_stands(tokenizer):
    data = loader(NAMES, tokenizer, settings(tau_num=4))
    ledger = data.dataset.ledger
    rows = iter(data)
    problems([next(rows) for _ in range(5)])
    solved = [report(Verdict(1.0, correct=True, well_formed=True), 0, "correct")] * 4
    for name in NAMES:
        ledger.count(f"some group of {name}", name, solved)
    ledger.step()
    # None was drawn ahead of the step: the very next ones are of the new range.
    drawn = {json.loads(row)["difficulty"] for row in problems(islice(rows, 40))}
    assert drawn == {0, 1}


def test_a_checkpoint_of_the_loader_resumes_exactly(tokenizer):
    whole, part = (loader(NAMES, tokenizer, settings(seed=5)) for _ in range(2))
    expected = problems(islice(iter(whole), 12))
    rows = iter(part)
    begun = problems([next(rows) for _ in range(7)])
    part.dataset.ledger.count("group", "Sorting", [])
    state = part.state_dict()
    assert json.loads(json.dumps(state["dataset_state"])) == state["dataset_state"]

    resumed = loader(NAMES, tokenizer, settings(seed=5))
    resumed.load_state_dict(state)
    assert begun + problems(islice(iter(resumed), 5)) == expected
    assert resumed.dataset.ledger.knows("group")


def test_files_of_rlve_dataset_are_fixed_problems(tokenizer, tmp_path):
    for name in ("problems.jsonl", "problems.parquet"):
        path = tmp_path / name
        assert main(["dataset", "Sorting", "-n", "6", "-d", "0..2", "-o", str(path)]) == 0
        data = loader(str(path), tokenizer, settings(), size=6)
        [batch] = data
        assert len(data.dataset) == 6
        found = [json.loads(row)["difficulty"] for row in problems([batch])]
        assert sorted(found) == [0, 0, 1, 1, 2, 2]
        assert {info["split"] for info in batch["extra_info"]} == {"test"}
    assert len(create_rl_dataset(None, settings(), tokenizer, None)) == 0


def test_prompts_that_are_too_long_are_drawn_again(tokenizer):
    def lengths(data):
        for batch in islice(iter(data), 20):
            yield len(
                tokenizer.apply_chat_template(
                    batch["raw_prompt"][0], add_generation_prompt=True, return_dict=False
                )
            )

    config = settings(static=[0, 8])
    free = sorted(lengths(loader(["Sorting"], tokenizer, config)))
    config.max_prompt_length = free[10]
    data = loader(["Sorting"], tokenizer, config)
    assert max(lengths(data)) <= free[10] < free[-1]
    assert data.dataset.ledger.gym.stream.redrawn["Sorting"]["too long"] > 0


@pytest.mark.parametrize(
    ("names", "change", "message"),
    [
        (["Sortin"], {}, "did you mean 'Sorting'"),
        (["Sorting", "x.jsonl"], {}, "environments or files, not both"),
        (["x.jsonl"], {}, "no file x.jsonl"),
        (["Sorting"], {"dataloader_num_workers": 2}, "dataloader_num_workers=0"),
        (["Sorting"], {"shuffle": True}, "data.shuffle=False"),
        (["Sorting"], {"rlve": None}, "lacks data.rlve"),
        (["Sorting"], {"rlve": {"group": 4, "grop": 3}}, "data.rlve: .*'grop'"),
    ],
)
def test_wrong_settings(tokenizer, names, change, message):
    config = OmegaConf.merge(settings(), {})
    for key, value in change.items():
        config[key] = value
    with pytest.raises(UserError, match=message):
        create_rl_dataset(names, config, tokenizer, None)


def test_a_chat_template_that_would_change_a_text(tokenizer, monkeypatch):
    monkeypatch.setattr(tokenizer, "chat_template", "User: {{ messages[0].content }}")
    with pytest.raises(UserError, match="custom_chat_template"):
        create_rl_dataset(NAMES, settings(), tokenizer, None)
    monkeypatch.setattr(tokenizer, "chat_template", None)
    with pytest.raises(UserError, match="custom_chat_template"):
        create_rl_dataset(NAMES, settings(), tokenizer, None)


def test_a_checkpoint_of_another_data_set(tokenizer):
    dataset = create_rl_dataset(NAMES, settings(), tokenizer, None)
    with pytest.raises(UserError, match=r"data\.pt"):
        dataset.load_state_dict({"rows": 3})
