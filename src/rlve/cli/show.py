"""`rlve show`."""

import json as jsonlib
from typing import Annotated, Any

from tyro.conf import Positional, arg

from rlve.cli._options import Flag, metavar
from rlve.cli._problems import heading, open_worker, problem_of, reference_of
from rlve.formats import Prompt
from rlve.levels import as_difficulty
from rlve.registry import family
from rlve.targets import find, find_format


def run(
    name: Annotated[Positional[str], metavar("NAME")],
    /,
    *,
    difficulty: Annotated[str, arg(aliases=["-d"], metavar="INT")] = "0",
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    format: Annotated[str | None, metavar("FORMAT")] = None,  # noqa: A002
    worked: Flag = False,
    parameters: Flag = False,
    json: Flag = False,
) -> None:
    """Print one problem: its prompt, its level, and a correct answer.

    Args:
        name: The environment's name, as in `rlve list`; MODULE:CLASS for your own.
        difficulty: The difficulty of the problem: 0, 1, 2, ...
        seed: Which problem of that difficulty; the same seed gives the same problem everywhere.
        format: The prompt as a model sees it: chat, base, plain, or MODULE:NAME for your own.
        worked: Also print the way to a correct answer, line by line, where there is one.
        parameters: Also print the parameters, the record that determines the problem.
        json: Print everything as one line of JSON.
    """
    cls, d = find(name), as_difficulty(difficulty)
    form = None if format is None else find_format(format)
    with open_worker() as pool:
        shown = problem_of(pool, cls, d, seed)
    prompt: Prompt = shown.prompt if form is None else form.put(shown.problem, shown.prompt)
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
        print(jsonlib.dumps(record))
        return
    print(heading(f"{cls.__name__}, difficulty {d}, seed {seed}"))
    print(f"level: {_setting(shown.level)}\n")
    print(as_text(prompt))
    print(f"\n{heading('reference')}")
    print(reference_of(shown))
    if worked:
        print(f"\n{heading('worked solution')}")
        print("\n".join(shown.worked) or "(there is none)")
    if parameters:
        print(f"\n{heading('parameters')}")
        for key, value in shown.problem.parameters().items():
            print(f"{key} = {jsonlib.dumps(value)}")


def as_text(prompt: Prompt) -> str:
    """A prompt as text, with each message of a conversation below its role."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt)


def _setting(level: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {jsonlib.dumps(value)}" for key, value in level.items())
