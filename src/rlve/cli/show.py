"""`rlve show`."""

import json as jsonlib
from typing import Annotated, Any

from tyro.conf import Positional, arg

from rlve.cli._options import Flag
from rlve.contract import AnyEnvironment, Problem
from rlve.errors import GenerationError, UserError
from rlve.formats import Prompt
from rlve.levels import as_difficulty
from rlve.registry import family
from rlve.targets import find, find_format


def run(
    name: Annotated[Positional[str], arg(metavar="NAME", help_behavior_hint="")],
    /,
    *,
    difficulty: Annotated[str, arg(aliases=["-d"], metavar="INT")] = "0",
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    format: Annotated[str | None, arg(metavar="FORMAT", help_behavior_hint="")] = None,  # noqa: A002
    parameters: Flag = False,
    json: Flag = False,
) -> int:
    """Print one problem: its prompt, its level, and an answer that is correct.

    Args:
        name: The environment, as `rlve list` names it; MODULE:CLASS is one of your own.
        difficulty: How hard the problem is: 0, 1, 2, ...
        seed: Which problem of that difficulty: the same seed gives the same problem everywhere.
        format: The prompt as a model is given it: chat, base, plain, or MODULE:NAME for your own.
        parameters: Print the parameters, too: the record that determines the problem.
        json: Print everything as one line of JSON.
    """
    cls, d = find(name), as_difficulty(difficulty)
    form = None if format is None else find_format(format)
    problem = problem_of(cls, d, seed)
    prompt: Prompt = problem.prompt() if form is None else form.render(problem)
    if json:
        record = {
            "environment": cls.__name__,
            "family": family(cls.__name__),
            "difficulty": d,
            "seed": seed,
            "level": cls.level(d),
            "prompt": prompt,
            "reference": problem.reference(),
            "parameters": problem.parameters(),
        }
        print(jsonlib.dumps(record))
        return 0
    print(heading(f"{cls.__name__}, difficulty {d}, seed {seed}"))
    print(f"level: {' or '.join(map(_setting, cls.level(d)))}\n")
    print(as_text(prompt))
    print(f"\n{heading('reference')}")
    print(reference_of(problem))
    if parameters:
        print(f"\n{heading('parameters')}")
        for key, value in problem.parameters().items():
            print(f"{key} = {jsonlib.dumps(value)}")
    return 0


def problem_of(environment: AnyEnvironment, difficulty: int, seed: int) -> Problem:
    """A problem, or a UserError that says which one could not be generated."""
    try:
        return environment.generate(difficulty=difficulty, seed=seed)
    except GenerationError as error:
        raise UserError(
            f"{environment.__name__} makes no problem of difficulty {difficulty} from seed {seed}: "
            f"{error}; another seed may do"
        ) from error


def reference_of(problem: Problem) -> str:
    """A correct answer, as a person reads it."""
    reference = problem.reference()
    if reference is None:
        return "(none can be computed)"
    return reference or "(the empty answer)"


def heading(text: str) -> str:
    """A line that stands out, also where there is no colour."""
    return f"── {text} ".ljust(72, "─")


def as_text(prompt: Prompt) -> str:
    """A prompt as text; each message of a conversation below its role."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt)


def _setting(level: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {jsonlib.dumps(value)}" for key, value in level.items())
