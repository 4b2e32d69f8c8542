"""From ideas to admitted environments: by files and by a server, with repairs, resumed."""

import re
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from drafts.faults import GOOD
from rlve.cli import main
from rlve.drafts.drafting import Cost, _code, draft, reply_of
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput
from rlve.foundation.files import read_lines
from support.kernel import landlocked
from support.model_server import ModelServer, said
from support.model_server import Reply as Served

pytestmark = pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")

COUNTER = (GOOD / "counter.py").read_text()
SOLVER = (GOOD / "counter_solver.py").read_text()
BROKEN = COUNTER.replace("rng.randrange(modulus)", "rng.randrange(0)")
IDEA = "a counter that follows a program"


def fenced(code: str) -> str:
    return f"Here it is:\n\n```python\n{code}```\n"


def replying(question: str) -> str:
    """What a good author says who makes a mistake at first."""
    if question.startswith("Write the specification"):
        return "A counter follows a program."
    if question.startswith("Write one Python file"):
        return fenced(COUNTER if "A program found this wrong" in question else BROKEN)
    assert "class Counter" not in question  # a solver is written from prompts alone
    assert "A machine has one counter" in question
    return fenced(SOLVER)


def test_through_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ideas, folder = tmp_path / "ideas.txt", tmp_path / "drafts"
    ideas.write_text(f"{IDEA}\n\n")
    asked: list[str] = []
    for _ in range(4):
        assert main(["draft", str(ideas), "--folder", str(folder)]) == 0
        [question] = (q for q in folder.rglob("*.question.md") if not reply_of(q).exists())
        asked.append(question.name)
        output = capsys.readouterr()
        assert question.name in output.out
        if question.name == "1.environment.question.md":  # a step is told of as it happens
            assert output.err == "rlve: 001: 0.first.json, runs failed\n"
        reply_of(question).write_text(replying(question.read_text()))
    assert asked == [
        "specification.question.md",
        "0.environment.question.md",
        "1.environment.question.md",
        "1.0.solver.question.md",
    ]
    assert main(["draft", str(ideas), "--folder", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"{IDEA} +2 +admitted", printed)
    question = (folder / "001" / "1.0.solver.question.md").read_text()
    assert "`WRONG = [(difficulty, seed, " in question  # answers that must be refused
    assert "--- difficulty 20, seed 0 ---" in question
    names = sorted(file.name for file in (folder / "admitted").iterdir())
    assert names == ["Counter_001.json", "Counter_001.py", "Counter_001_solver.py"]
    assert (folder / "admitted" / "Counter_001.py").read_text() == COUNTER


def test_through_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    poor = {"Write the": Served(""), "Write one": Served("```python\nx = 1", "length")}

    def answer(body: dict[str, Any]) -> Served:
        return poor.pop(said(body)[:9], None) or Served(replying(said(body)))

    ideas = tmp_path / "ideas.txt"
    ideas.write_text(f"{IDEA}\n")
    server = ModelServer(answer).start()
    words = ["draft", str(ideas), "--folder", str(tmp_path / "drafts"), "--model", "tiny"]
    try:
        assert main([*words, "--url", server.url]) == 0
        asked = len(server.requests)
        assert main([*words, "--url", server.url]) == 0
    finally:
        server.stop()
    assert asked == len(server.requests) == 6  # only what came empty, or cut off, is asked twice
    output = capsys.readouterr()
    assert "admitted" in output.out
    assert "4 replies:" in output.out
    assert "001: specification.reply.md is there" in output.err
    costs = read_lines(tmp_path / "drafts" / "costs.jsonl", Cost)
    assert [cost.finish for cost in costs] == ["stop"] * 4


def test_an_idea_is_given_up_after_repairs(tmp_path: Path) -> None:
    def ask(questions: Any) -> Any:
        for question in questions:
            text = "words" if question.name.startswith("spec") else fenced("x = 1\n")
            yield question, ModelOutput(text, "stop")

    [outcome] = draft([IDEA], tmp_path, example="", repairs=1, ask=ask)
    assert [certificate.admitted for certificate in outcome.certificates] == [False, False]
    assert not (tmp_path / "admitted").exists()


def test_a_solver_that_reaches_out_is_written_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(questions: Any) -> Any:
        for question in questions:
            asked.append(question.name)
            text = replying(question.read_text())
            if "Write one Python file with" in question.read_text():
                text = fenced(COUNTER)
            elif "solver" in question.name and "it imports time" not in question.read_text():
                text = fenced(f"import time\n{SOLVER}")
            yield question, ModelOutput(text, "stop")

    [outcome] = draft([IDEA], tmp_path, example="", repairs=1, ask=ask)
    assert outcome.certificates[-1].admitted
    names = ["specification", "0.environment", "0.0.solver", "0.1.solver"]
    assert asked == [f"{name}.question.md" for name in names]


def test_a_folder_keeps_its_ideas(tmp_path: Path) -> None:
    draft([IDEA], tmp_path, example="", repairs=0, ask=None)
    with pytest.raises(UserError, match="about another idea"):
        draft(["another"], tmp_path, example="", repairs=0, ask=None)


def test_a_server_needs_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ideas = tmp_path / "ideas.txt"
    ideas.write_text(IDEA)
    assert main(["draft", str(ideas), "--folder", str(tmp_path), "--url", "http://x/v1"]) == 2
    assert "--url needs --model" in capsys.readouterr().err


def test_a_block_is_found_in_linear_time() -> None:
    began = process_time()
    assert _code("```" + 100_000 * "\n") == "```" + 100_000 * "\n"
    assert _code("a\n```py  \nx\n```\n```\ny\n```") == "y\n"
    assert process_time() - began < 1


def test_it_ends_if_nobody_replies(tmp_path: Path) -> None:
    [outcome] = draft([IDEA], tmp_path, example="", repairs=0, ask=lambda questions: ())
    assert outcome.waiting is not None
