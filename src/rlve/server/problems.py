"""Problems and outputs between the wire and the pool.

A request names environments that this process knows. It never makes it load any: MODULE:CLASS and
FILE.py:CLASS, which a command line takes, are no names here.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from rlve.answers import Marker, Reading
from rlve.collections import collection, is_collection
from rlve.contract import AnyEnvironment, Problem, Verdict, check_difficulty
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Request
from rlve.registry import environment
from rlve.server import wire


class TooLarge(UserError):
    """A request has more items than a server takes."""


def known(name: str) -> AnyEnvironment:
    """The environment of that name, which may be of another package, but is loaded by its name."""
    return environment(name)


def names_of(word: str) -> tuple[str, ...]:
    """The environments that a name, or the name of a collection, stands for."""
    if is_collection(word):
        return collection(word)
    known(word)
    return (word,)


def expand(wanted: Sequence[wire.Wanted], most: int) -> list[Request]:
    """Each problem that is asked for."""
    check_size(sum(each.count for each in wanted), most)
    return [request for each in wanted for request in islice(_requests(each), each.count)]


def check_size(count: int, most: int) -> None:
    """Raise if one request asks for too much."""
    if count > most:
        raise TooLarge(f"a request has at most {most:,} items, not {count:,}")


def _requests(wanted: wire.Wanted) -> Iterator[Request]:
    classes = [known(name) for name in names_of(wanted.environment)]
    for cls in classes:
        check_difficulty(cls, wanted.difficulty)
    for place, cls in enumerate(cycle(classes)):
        yield Request(cls, wanted.difficulty, wanted.seed + place)


def generate(pool: Pool, wanted: wire.Generate, most: int) -> list[wire.WireProblem]:
    """The problems asked for, in order."""
    requests = expand(wanted.requests, most)
    if not wanted.reference:
        made = pool.generate(requests)
        return [_answer(request, found) for request, found in zip(requests, made, strict=True)]
    return [
        _answer(request, found)
        for request, found in zip(requests, pool.solve_iter(requests), strict=True)
    ]


def _answer(
    request: Request, found: Problem | tuple[Problem, str | None] | Failure
) -> wire.WireProblem:
    if isinstance(found, Failure):
        return wire.WireProblem(
            environment=request.environment.__name__,
            difficulty=request.difficulty,
            seed=request.seed,
            failure=wire.WireFailure(kind=found.kind, message=found.message),
        )
    problem, reference = found if isinstance(found, tuple) else (found, None)
    return wire_problem(problem, request.difficulty, request.seed, reference)


def wire_problem(
    problem: Problem, difficulty: int, seed: int, reference: str | None = None
) -> wire.WireProblem:
    """A problem as it travels."""
    return wire.WireProblem(
        environment=type(problem).__name__,
        difficulty=difficulty,
        seed=seed,
        prompt=problem.prompt(),
        parameters=problem.parameters(),
        reference=reference,
    )


def judge(
    pool: Pool, items: Sequence[wire.Answered], marker: Marker, reading: Reading = "exact"
) -> list[Verdict | Failure]:
    """The verdict on each output, in order; a problem that cannot be made has none."""
    problems = _problems(pool, items)
    ready = [
        (problem, item.output)
        for problem, item in zip(problems, items, strict=True)
        if not isinstance(problem, Failure)
    ]
    judged = iter(pool.judge(ready, marker=marker, reading=reading))
    return [each if isinstance(each, Failure) else next(judged) for each in problems]


def _problems(pool: Pool, items: Sequence[wire.Answered]) -> list[Problem | Failure]:
    """Each item's problem: from its parameters, or generated, once where several share it."""
    wanted: dict[Request, int] = {}
    found: list[Problem | Request] = []
    for place, item in enumerate(items):
        cls = known(item.environment)
        if item.parameters is not None:
            found.append(cls.from_parameters(item.parameters))
        elif item.difficulty is None or item.seed is None:
            raise UserError(f"items[{place}] has neither parameters nor difficulty and seed")
        else:
            request = Request(cls, check_difficulty(cls, item.difficulty), item.seed)
            wanted.setdefault(request, len(wanted))
            found.append(request)
    made = pool.generate(wanted) if wanted else []
    return [made[wanted[each]] if isinstance(each, Request) else each for each in found]
