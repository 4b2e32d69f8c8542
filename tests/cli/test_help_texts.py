import inspect
from dataclasses import dataclass
from importlib import import_module

import pytest
import tyro

from rlve import cli
from rlve.cli._help_texts import help_registry


@dataclass(frozen=True)
class Settings:
    size: int = 1
    """A text that begins on one line
    and ends on another."""
    name: str = "x"
    """A short text."""


def test_a_text_of_several_lines_flows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tyro.cli(Settings, args=["--help"], registry=help_registry())
    shown = capsys.readouterr().out
    assert "A text that begins on one line and ends on another. (default: 1)" in shown
    assert "A short text. (default: x)" in shown
    assert tyro.cli(Settings, args=["--size", "3"], registry=help_registry()) == Settings(3)


def test_a_text_of_an_argument_flows(rlve) -> None:
    shown = " ".join(rlve("score", "--help").out.replace("│", " ").split())
    assert "which also accepts, for example, commas and brackets around lists" in shown


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_texts_of_arguments_flow(command: str) -> None:
    """tyro ends a line before one that begins with anything but a letter or a digit."""
    text = inspect.getdoc(import_module(f"rlve.cli.{command}").run) or ""
    for line in text.partition("Args:")[2].splitlines():
        assert not line.strip() or line.strip()[0].isalnum(), line
