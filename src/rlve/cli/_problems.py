"""Problems to show to a person, made safely in a worker with a deadline."""

from rlve.contract import AnyEnvironment, check_difficulty
from rlve.dialogue import Dialogue, messages_of, transcript
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Request, Shown

DEADLINE = 10.0  # seconds
MEMORY = 2 * 2**30  # bytes


def open_worker() -> Pool:
    """A pool of one worker, which is enough for one person."""
    return Pool(1, deadline=DEADLINE, memory=MEMORY)


def problem_of(pool: Pool, environment: AnyEnvironment, difficulty: int, seed: int) -> Shown:
    """Make a problem, or raise a UserError that says which one could not be made, and why."""
    made = pool.show(Request(environment, check_difficulty(environment, difficulty), seed))
    if isinstance(made, Failure):
        hint = "another seed" if made.kind == "error" else "a lower difficulty"
        raise UserError(
            f"{environment.__name__} could not make a problem of difficulty {difficulty} from seed "
            f"{seed}: {made.message}; {hint} may work"
        )
    return made


def reference_of(shown: Shown) -> str:
    """A correct answer, for a person to read."""
    if shown.reference is None:
        return "(none can be computed)"
    if isinstance(shown.problem, Dialogue):
        return transcript(shown.problem, messages_of(shown.reference))
    return shown.reference or "(the empty answer)"


def heading(text: str) -> str:
    """A line that stands out even without colour."""
    return f"── {text} ".ljust(72, "─")
