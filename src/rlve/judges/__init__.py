"""How answers to questions of other data sets are judged: mathematics, BBEH, programs."""

from importlib import import_module

from rlve.contract import AnyEnvironment
from rlve.errors import UnknownEnvironment
from rlve.registry import environment


def judge_class(name: str) -> AnyEnvironment:
    """The environment with that name, from the gym or a data set."""
    try:
        return environment(name)
    except UnknownEnvironment:
        # Those of data sets are not part of the gym; importing their modules registers them.
        for judge in ("math", "bbeh", "programs"):
            import_module(f"rlve.judges.{judge}")
    return environment(name)
