"""Names of models that lead nowhere are found out at once."""

import pytest

import rlve
from rlve.models.config import PolicyConfig
from rlve.models.locations import NANO, check_model, place_of

hub = pytest.importorskip("huggingface_hub", reason="asking the hub needs rlve[train]")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = tmp_path / "runs" / "one" / "checkpoints" / "step-000010"
    (checkpoint / "model").mkdir(parents=True)
    (checkpoint / "model" / "config.json").write_text("{}")
    (tmp_path / "runs" / "one" / "config.json").write_text("{}")
    adapters = tmp_path / "runs" / "small" / "checkpoints" / "step-000020" / "model"
    adapters.mkdir(parents=True)
    (adapters / "adapter_config.json").write_text("{}")
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "adapter_config.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").touch()
    return tmp_path


def test_nano_and_checkpoints_are_models(folder):
    assert place_of(PolicyConfig(model="nano"))[0] == str(NANO)
    checkpoint = "runs/one/checkpoints/step-000010"
    assert place_of(PolicyConfig(model=checkpoint))[0] == f"{checkpoint}/model"
    for model in ("nano", checkpoint, f"{checkpoint}/model"):
        check_model(PolicyConfig(model=model))


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        ("runs/one/checkpoints/step-00010", "did you mean runs/one/checkpoints/step-000010?"),
        ("./rnus", "there is no folder ./rnus; did you mean runs?"),
        ("/no/such/folder", "there is no folder /no/such/folder"),
        ("none.gguf", "there is no file none.gguf"),
        ("empty", "it has no config.json"),
        ("notes.txt", "is not a model"),
        (
            "runs/small/checkpoints/step-000020",
            "merge them into one with: rlve export runs/small FOLDER --checkpoint 20",
        ),
        (
            "runs/small/checkpoints/step-000020/model",
            "merge them into one with: rlve export runs/small FOLDER --checkpoint 20",
        ),
        ("adapters", "holds adapters, not a whole model; merge them into one with: rlve export"),
        ("runs/one", "its latest model is runs/one/checkpoints/step-000010/model"),
    ],
)
def test_what_is_no_model_is_said_without_asking_anyone(folder, monkeypatch, model, complaint):
    monkeypatch.setattr(hub, "get_hf_file_metadata", None)
    with pytest.raises(rlve.UserError) as caught:
        check_model(PolicyConfig(model=model))
    assert complaint in str(caught.value)


@pytest.mark.parametrize("model", ["nanoo", "runs/two"])
def test_the_hub_is_asked_once(folder, monkeypatch, model):
    asked = []

    def unreachable(url, *, timeout):
        asked.append(url)
        raise ConnectionError("no route to the hub")

    monkeypatch.setattr(hub, "get_hf_file_metadata", unreachable)
    with pytest.raises(rlve.UserError, match=f"no folder {model} here.*no route to the hub"):
        check_model(PolicyConfig(model=model))
    assert len(asked) == 1


def test_a_model_of_the_hub_is_a_model(folder, monkeypatch):
    monkeypatch.setattr(hub, "get_hf_file_metadata", lambda url, *, timeout: None)
    check_model(PolicyConfig(model="some/model"))
