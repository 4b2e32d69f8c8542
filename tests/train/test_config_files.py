"""Settings of runs in files."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import rlve
from rlve.errors import UserError
from rlve.foundation.files import pretty
from rlve.train.config import Config
from rlve.train.config_files import as_yaml, overlay, read_settings
from rlve.train.presets import PRESETS, preset
from rlve.train.teaching.config import TeachingConfig


def read(path: Path, base: Config) -> Config:
    return overlay(base, read_settings(path).settings, what=str(path))


@pytest.mark.parametrize("name", PRESETS)
def test_written_and_read_settings_are_the_same(name, tmp_path):
    config = preset(name)
    config = replace(
        config,
        policy=replace(
            config.policy, system_prompt="Say: 'no'\n# and \u00e9", stop_strings=("</a>",)
        ),
        data=replace(config.data, static=(0, 3), dataset=Path("a b.jsonl")),
        update=replace(config.update, learning_rate=1e-6),
    )
    (tmp_path / "all.yaml").write_text(as_yaml(config))
    (tmp_path / "all.json").write_bytes(pretty(config))
    assert read(tmp_path / "all.yaml", Config()) == config
    assert read(tmp_path / "all.json", preset("nano")) == config


def test_every_setting_is_explained():
    lines = as_yaml(Config()).splitlines()
    for above, line in pairwise(lines):
        if not line.lstrip().startswith("#") and line:
            assert above.lstrip().startswith("#"), line


def test_a_file_changes_what_it_holds(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        "# comments, hyphens, numbers as people write them, and one name instead of a list\n"
        "rollout:\n  max-tokens: 64\n  partial: no\n"
        "update:\n  learning_rate: 2e-6\n"
        "data:\n  environments: Sorting\n"
        "validation:\n  temperatures: 1\n"
        "run:\n"
    )
    base = preset("nano")
    expected = replace(
        base,
        rollout=replace(base.rollout, max_tokens=64, partial=False),
        update=replace(base.update, learning_rate=2e-6),
        data=replace(base.data, environments=("Sorting",)),
        validation=replace(base.validation, temperatures=(1.0,)),
    )
    assert read(file, base) == expected
    file.write_text("")
    assert read(file, base) == base


def test_a_file_can_name_its_preset_and_code(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text("preset: small\nload: tasks.py\nrun: {steps: 3}\n")
    assert read_settings(file) == ({"run": {"steps": 3}}, "small", ("tasks.py",))
    file.write_text("load: [a.py, b]\ndata: {worked: yes}\n")
    assert read_settings(file, TeachingConfig) == ({"data": {"worked": True}}, None, ("a.py", "b"))
    for text in ("load: 3", "load: [3]", "preset: {a: 1}", "preset: [a, b]"):
        file.write_text(text)
        with pytest.raises(UserError, match=r"must be text|only one preset"):
            read_settings(file)
    json_file = tmp_path / "run.json"
    json_file.write_text('{"load": "trap.py"}')
    with pytest.raises(UserError, match=r"names code, trap\.py: if you trust it, add --load trap"):
        read_settings(json_file)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "rollout: {max_token: 3}",
            "no setting 'rollout.max_token'; did you mean 'rollout.max_tok",
        ),
        ("rolout: {}", "no section 'rolout'; did you mean 'rollout'?"),
        ("zzz: {}", "no section 'zzz'; there are policy, data, rollout"),
        ("rollout: {group: many}", "rollout.group: expected `int`, got `str`"),
        ("policy: {dtype: float8}", "policy.dtype: invalid enum value 'float8'"),
        ("rollout: 3", "rollout is a section"),
        ("- 1", "holds no settings"),
        ("a: [", "cannot be read"),
        ("policy: !!python/object/apply:os.system [ls]", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_clear_line(tmp_path, text, complaint):
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(rlve.UserError) as caught:
        read(file, Config())
    assert str(caught.value).startswith(str(file))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_settings_of_a_run_do_not_name_its_folder_to_another(tmp_path):
    base = preset("nano")
    mine = replace(base, run=replace(base.run, folder=tmp_path / "run"))
    (tmp_path / "mine.json").write_bytes(pretty(mine))
    assert read(tmp_path / "mine.json", base).run.folder == tmp_path / "run"
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".lock").touch()
    (tmp_path / "run" / "config.json").write_bytes(pretty(mine))
    assert read(tmp_path / "run" / "config.json", base) == base
    assert json.loads((tmp_path / "run" / "config.json").read_text())["run"]["folder"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", f'{{"run": {{"steps": {"9" * 5000}}}}}'),
        ("run.yaml", f"run: {{steps: {'9' * 5000}}}"),
        ("run.yaml", "run: {steps: 2001-13-45}"),
        ("run.yaml", "run: {steps: !!bool 7}"),
        ("run.yaml", "run: {steps: !!timestamp x}"),
        ("run.yaml", "run: {steps: !!int x}"),
    ],
)
def test_values_that_are_none_are_one_clear_line(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(rlve.UserError, match=rf"{name} cannot be read: ") as caught:
        read(tmp_path / name, Config())
    assert "\n" not in str(caught.value)
