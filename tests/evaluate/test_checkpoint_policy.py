import json

import pytest

from rlve.errors import UserError
from rlve.evaluate.checkpoint_policy import TEMPLATE, find_trained_policy
from rlve.models.config import PolicyConfig


@pytest.fixture
def run(tmp_path):
    (tmp_path / "run" / "checkpoints" / "step-000004" / "model").mkdir(parents=True)
    return tmp_path / "run"


def configure(run, **policy):
    (run / "config.json").write_text(json.dumps({"policy": policy, "data": {}}))


def test_a_checkpoint_knows_how_its_run_asked(run, monkeypatch):
    configure(run, format="base", stop_strings=["</answer>"], unknown=1)
    for place in ("checkpoints/step-000004", "checkpoints/step-000004/model/"):
        found = find_trained_policy(f"{run}/{place}")
        assert found.run == run
        assert found.policy == PolicyConfig(format="base", stop_strings=("</answer>",))
    monkeypatch.chdir(run / "checkpoints")
    assert find_trained_policy("step-000004").policy.format == "base"


def test_automatic_is_what_it_was_in_the_run(run):
    configure(run, system_prompt="Be brief.")
    checkpoint = run / "checkpoints" / "step-000004"
    assert find_trained_policy(str(checkpoint)).policy.format == "base"
    (checkpoint / "model" / TEMPLATE).write_text("{{ messages }}")
    assert find_trained_policy(str(checkpoint)).policy.format == "chat"


def test_a_chat_template_is_saved_where_it_is_looked_for(tmp_path):
    pytest.importorskip("torch", reason="a model needs rlve[train]")
    from transformers import AutoTokenizer

    from support.tiny import save_tiny_policy

    tokenizer = AutoTokenizer.from_pretrained(save_tiny_policy(tmp_path / "tiny"))
    tokenizer.save_pretrained(tmp_path / "without")
    assert not (tmp_path / "without" / TEMPLATE).exists()
    tokenizer.chat_template = "{{ messages }}"
    tokenizer.save_pretrained(tmp_path / "with")
    assert (tmp_path / "with" / TEMPLATE).is_file()


def test_other_models_have_no_run(run, tmp_path):
    checkpoint = run / "checkpoints" / "step-000004"
    assert find_trained_policy(str(checkpoint)) is None  # no config.json
    (run / "config.json").write_text("{}")  # of another program
    assert find_trained_policy(str(checkpoint)) is None
    configure(run)
    assert find_trained_policy(str(run)) is None
    assert find_trained_policy(str(run / "checkpoints" / "step-000005")) is None
    assert find_trained_policy("Qwen/Qwen2.5-7B") is None
    (run / "config.json").write_text("{oops")
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        find_trained_policy(str(checkpoint))
