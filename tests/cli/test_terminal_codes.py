"""No command lets characters through that a terminal would obey, whoever wrote the files."""

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from io import StringIO
from itertools import chain

import pytest
import tyro
from rich.console import Console

from rlve.evaluate.questions import Suite
from rlve.foundation.run_folders import write_settings
from rlve.reports.live import TrainingProgress, render
from rlve.reports.terminal import LONGEST_ERROR, escape, print_table
from rlve.train.presets import preset
from rlve.train.teaching.config import teaching_config
from support import evaluation_folders, studio_folders
from support.stopped_commands import directly, stop

EVIL = "\x1b]0;PWN\x07\x9b2J\x7f\u202eM\u2066\u200e\U000e0041\r\x08"
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
COMMANDS = {
    "train": (
        "report {}",
        "rollouts {}",
        "rollouts {} -o {}.jsonl",
        "export {} {}.exported",
        "train --resume {}",
    ),
    "teach": ("report {}", "rollouts {}", "export {} {}.exported", "teach --resume {}"),
    "eval": (
        "report {}",
        "compare {} {other}",
        "compare --json {} {other}",
        "score {}",
        "rollouts {} -o {}.jsonl",
        "eval --model m --url http://127.0.0.1:1 --suite few --folder {}",
        "score {}/suite.jsonl",
        "score {}/outputs.jsonl",
    ),
    "frontier": (
        "report {}",
        "compare {} {other}",
        "compare --json {} {other}",
        "frontier --model m --url http://127.0.0.1:1 --folder {}",
    ),
}


def make(kind, folder):
    if kind == "train":
        studio_folders.make_run(folder, steps=2)
        write_settings(folder, "train", preset("nano"))
    elif kind == "teach":
        studio_folders.make_teaching_run(folder)
        write_settings(folder, "teach", teaching_config(None))
    elif kind == "eval":
        studio_folders.make_evaluation(folder, 0.5)
    else:
        (folder.parent / "frontiers").mkdir(parents=True)
        studio_folders.make_frontiers(folder.parent / "frontiers")
        (folder.parent / "frontiers" / "strong").rename(folder)
    return folder


def spots(value, path=()):
    """Where a text is in a record: the path to it, and whether it is a key."""
    if isinstance(value, dict):
        for key, below in [*value.items()][:40]:
            yield from spots(below, (*path, key))
        if value:
            yield (*path, next(iter(value))), True
    elif isinstance(value, list):
        if value:
            yield from spots(value[0], (*path, 0))
    elif isinstance(value, str) or value is None:
        yield path, False


def poison(record, path, is_key):
    *way, last = path
    inner = record
    for step in way:
        inner = inner[step]
    if is_key:
        inner[f"{last}{EVIL}"] = inner.pop(last)
    else:
        inner[last] = f"{inner[last]}{EVIL}"


def hostile_texts(text):
    """The file's text, with something hostile in one place after another."""
    *before, last = text.rstrip("\n").split("\n") if "\n{" in text else [text]
    for path, is_key in {spot: None for spot in spots(json.loads(last)) if spot[0]}:
        record = json.loads(last)
        poison(record, path, is_key)
        yield "\n".join([*before, json.dumps(record, ensure_ascii=False), ""])
    yield f"{EVIL}{text}"
    yield "\n".join([*before, f'{{"{EVIL}": 1}}', ""])


@pytest.mark.parametrize("kind", COMMANDS)
def test_no_folder_reaches_the_terminal(kind, tmp_path, rlve, monkeypatch):
    monkeypatch.setattr(tyro, "cli", directly)
    monkeypatch.chdir(tmp_path)
    suite = Suite("few", evaluation_folders.QUESTIONS)
    monkeypatch.setattr("rlve.cli.eval.load_suite", lambda *_: suite)
    for target in (
        "rlve.train.trainer.Run._build",
        "rlve.train.teaching.TeachingRun._build",
        "rlve.evaluate.runner.Pool",
        "rlve.cli.score.Pool",
        "rlve.evaluate.frontier.measure.Pool",
    ):
        monkeypatch.setattr(target, stop, raising=False)
    monkeypatch.setattr("rlve.cli.rollouts.open_worker", nullcontext)
    monkeypatch.setattr("rlve.cli.rollouts._reasons", lambda *_: {})
    folder = make(kind, tmp_path / "given")
    other = make(kind, tmp_path / "others" / "other")
    seen = set()
    for file in sorted(chain(folder.glob("*.json"), folder.glob("*.jsonl"))):
        text = file.read_text()
        for hostile in hostile_texts(text):
            file.write_text(hostile)
            for command in COMMANDS[kind]:
                words = command.replace("{other}", str(other)).replace("{}", str(folder))
                result = rlve(*words.split())
                found = OBEYED.search(result.out + result.err)
                assert not found, (file.name, command, found, result)
                assert len(result.err) < 3 * LONGEST_ERROR
                if "PWN" in result.out + result.err:
                    seen.add(command)
            file.write_text(text)
    assert seen  # otherwise nothing was tried


def test_rows_of_strangers(tmp_path, rlve):
    rows = [
        {"environment": f"Sorting{EVIL}", "difficulty": 0, "seed": 0, "output": EVIL},
        {"environment": "Sorting", "parameters": {EVIL: EVIL}, "output": EVIL},
        {"environment": "x" * 1_000_000, "difficulty": 0, "seed": 0, "output": EVIL},
        {"environment": "Sorting", "marker": EVIL * 100_000, "output": EVIL},
    ]
    for row in rows:
        (tmp_path / "rows.jsonl").write_text(json.dumps(row))
        result = rlve("score", tmp_path / "rows.jsonl")
        assert (result.code, result.out) == (2, "")
        assert not OBEYED.search(result.err)
        assert len(result.err) < 2 * LONGEST_ERROR


def test_a_table_keeps_its_rows(capsys):
    print_table((f"a{EVIL}", "b"), [(f"x\nforged{EVIL}", 1)])
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 3
    assert not OBEYED.search(out)


def test_the_live_view_shows_names_of_files_as_text(tmp_path):
    console = Console(file=StringIO(), width=200, force_terminal=True, color_system=None)
    steps = [studio_folders.metrics([f"[link=http://x]S{EVIL}"], 1)]
    progress = TrainingProgress(preset("nano"), steps)
    console.print(render(progress, tmp_path / EVIL.replace("/", "")))
    shown = console.file.getvalue()
    assert "[link=http://x]S" in shown
    assert not OBEYED.search(shown)


PROGRAM = """
import logging, sys, warnings
from rlve.reports.terminal import show_plainly
EVIL = {evil!r}
show_plainly()
logging.getLogger("a.library").warning("it is %s", EVIL)
warnings.warn(EVIL)
raise ValueError(EVIL)
"""


def test_what_libraries_say_is_escaped():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(evil=EVIL)], capture_output=True, text=True
    )
    assert done.stderr.count("PWN") >= 3
    assert not OBEYED.search(done.stdout + done.stderr)


def test_ordinary_text_is_left_alone():
    text = "caf\u00e9 \u4f60\u597d\u3000x\u00a0y \U0001f600 \u2264 \\n\tend\n"
    assert escape(text) == text
