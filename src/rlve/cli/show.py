"""`rlve show`."""

import json as jsonlib
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from rlve.cli._options import Flag, metavar
from rlve.cli._problems import heading, open_worker, problem_of, reference_of
from rlve.contract import MAX_WORKED, AnyEnvironment, has_work
from rlve.errors import UserError
from rlve.formats import Prompt
from rlve.foundation.files import write_whole
from rlve.levels import as_difficulty
from rlve.pool import Shown
from rlve.registry import family
from rlve.reports.pictures import draw, has_picture
from rlve.reports.terminal import echo
from rlve.targets import find, find_format


def run(
    name: Annotated[Positional[str], metavar("NAME")],
    /,
    *,
    difficulty: Annotated[str, arg(aliases=["-d"], metavar="INT")] = "0",
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    format: Annotated[str | None, metavar("FORMAT")] = None,
    worked: Flag = False,
    picture: Annotated[Path | None, metavar("FILE.svg")] = None,
    answer: Flag = False,
    json: Flag = False,
) -> None:
    """Print one problem: its prompt, its level, and a correct answer.

    Args:
        name: The environment's name, as in `rlve list`; MODULE:CLASS for your own.
        difficulty: The difficulty of the problem: 0, 1, 2, ...
        seed: Which problem of that difficulty; the same seed gives the same problem everywhere.
        format: The prompt as a model sees it: chat, base, plain, or MODULE:NAME for your own.
        worked: Also print the way to a correct answer, line by line, where there is one.
        picture: Also draw the problem to this file.
        answer: Draw the correct answer into the picture.
        json: Print everything as one line of JSON, with the parameters that determine the problem.
    """
    if answer and picture is None:
        raise UserError("--answer needs --picture, the file to draw to")
    cls, d = find(name), as_difficulty(difficulty)
    chosen = None if format is None else find_format(format)
    with open_worker() as pool:
        shown = problem_of(pool, cls, d, seed)
    prompt: Prompt = shown.prompt if chosen is None else chosen.put(shown.problem, shown.prompt)
    if picture is not None:
        _draw(shown, picture, shown.reference if answer else None)
    if json:
        record = {
            "environment": cls.__name__,
            "family": family(cls.__name__),
            "difficulty": d,
            "seed": seed,
            "level": shown.level,
            "prompt": prompt,
            "reference": shown.reference,
            "worked": shown.worked,
            "parameters": shown.problem.parameters(),
        }
        echo(jsonlib.dumps(record))
        return
    echo(heading(f"{cls.__name__}, difficulty {d}, seed {seed}"))
    echo(f"level: {_setting(shown.level)}\n")
    echo(as_text(prompt))
    echo(f"\n{heading('reference')}")
    echo(reference_of(shown))
    if worked:
        echo(f"\n{heading('worked solution')}")
        echo("\n".join(shown.worked) or _no_way(cls))


def _draw(shown: Shown, file: Path, answer: str | None) -> None:
    """Write the picture of a problem, or say why there is none."""
    name = type(shown.problem).__name__
    if not has_picture(type(shown.problem)):
        raise UserError(
            f"{name} has no picture: its problems are no graph, grid, points or the like"
        )
    drawn = draw(shown.problem, answer, alone=True)
    if drawn is None:
        raise UserError("this problem is too large to be drawn; a lower difficulty may work")
    write_whole(file, drawn.encode())


def as_text(prompt: Prompt) -> str:
    """A prompt as text, with each message of a conversation below its role."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt)


def _no_way(cls: AnyEnvironment) -> str:
    """Why there is no worked solution."""
    if not has_work(cls):
        return f"(there is none: {cls.__name__} does not say how its problems are solved)"
    return f"(there is none: no way within {MAX_WORKED:,} characters was found for this problem)"


def _setting(level: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {jsonlib.dumps(value)}" for key, value in level.items())
