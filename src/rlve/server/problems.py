"""Problems and outputs between the wire and the pool.

A request can only name environments that this process knows. It can never make it load code:
MODULE:CLASS and FILE.py:CLASS, which the command line accepts, are not names here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any, TypeVar

from rlve import dialogue
from rlve.collections import collection, is_collection
from rlve.contract import Problem, Verdict, check_difficulty
from rlve.dialogue import Dialogue, Reply
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Record, Request
from rlve.registry import environment, is_dialogue
from rlve.server import wire

G = TypeVar("G", bound=wire.Given)


class TooLarge(UserError):
    """A request has more items than the server accepts."""


def names_of(name: str) -> tuple[str, ...]:
    """The environments that the name of an environment or a collection stands for."""
    if is_collection(name):
        return collection(name)
    environment(name)
    return (name,)


def expand(wanted: Sequence[wire.Wanted], most: int) -> list[Request]:
    """One request per problem."""
    check_size(sum(group.count for group in wanted), most)
    return [request for group in wanted for request in islice(_requests(group), group.count)]


def check_size(count: int, most: int) -> None:
    """Raise TooLarge if a request has too many items."""
    if count > most:
        raise TooLarge(f"a request may have at most {most:,} items, not {count:,}")


def _requests(wanted: wire.Wanted) -> Iterator[Request]:
    classes = [environment(name) for name in names_of(wanted.environment)]
    for cls in classes:
        check_difficulty(cls, wanted.difficulty)
    for index, cls in enumerate(cycle(classes)):
        yield Request(cls, wanted.difficulty, wanted.seed + index)


def generate(pool: Pool, wanted: wire.Generate, most: int) -> list[wire.WireProblem]:
    """The requested problems, in order."""
    requests = expand(wanted.requests, most)
    results = pool.solve_iter(requests) if wanted.reference else pool.generate(requests)
    return [_answer(request, result) for request, result in zip(requests, results, strict=True)]


def _answer(
    request: Request, result: Problem | tuple[Problem, str | None] | Failure
) -> wire.WireProblem:
    if isinstance(result, Failure):
        return wire.WireProblem(
            environment=request.environment.__name__,
            difficulty=request.difficulty,
            seed=request.seed,
            failure=wire.WireFailure.of(result),
        )
    problem, reference = result if isinstance(result, tuple) else (result, None)
    return wire_problem(problem, request.difficulty, request.seed, reference)


def wire_problem(
    problem: Problem, difficulty: int, seed: int, reference: str | None = None
) -> wire.WireProblem:
    """A problem as it is sent."""
    return wire.WireProblem(
        environment=type(problem).__name__,
        difficulty=difficulty,
        seed=seed,
        prompt=problem.prompt(),
        parameters=problem.parameters(),
        turns=problem.turns if isinstance(problem, Dialogue) else None,
        reference=reference,
    )


def load(pool: Pool, records: Sequence[wire.WireRecord]) -> list[wire.LoadedProblem]:
    """The problems that the records describe, in order."""
    wanted = [
        Record(environment(each.environment), each.parameters, each.prompt) for each in records
    ]
    return list(map(_loaded_problem, records, pool.load_iter(wanted)))


def _loaded_problem(
    record: wire.WireRecord, result: tuple[Problem, str] | Failure
) -> wire.LoadedProblem:
    if isinstance(result, Failure):
        return wire.LoadedProblem(failure=wire.WireFailure.of(result))
    problem, prompt = result
    return wire.LoadedProblem(
        parameters=problem.parameters(), prompt=prompt if record.prompt else None
    )


def judge(pool: Pool, wanted: wire.Verify) -> Sequence[Verdict | Failure]:
    """The verdict on each output, in order, or why its problem could not be generated."""
    verify = pool.explain if wanted.explain else pool.judge

    def verdicts(items: Iterable[tuple[Problem | Record, wire.Answered]]) -> Iterable[Any]:
        outputs = ((problem, item.output) for problem, item in items)
        return verify(outputs, marker=wanted.marker, reading=wanted.reading)

    return _results(pool, wanted.items, verdicts)


def respond(pool: Pool, wanted: wire.Respond) -> Sequence[Reply | Failure]:
    """The reply to each conversation, in order, or why there is none."""
    for index, item in enumerate(wanted.items):
        if not is_dialogue(environment(item.environment)):
            raise UserError(f"items[{index}]: {item.environment} does not answer back")

    def replies(items: Iterable[tuple[Problem | Record, wire.Conversation]]) -> Iterable[Any]:
        return pool.call_iter(_reply, ((problem, item.messages) for problem, item in items))

    return _results(pool, wanted.items, replies)


def _reply(item: tuple[Problem | Record, Sequence[str]]) -> Reply:
    """The reply to messages; runs in a worker, where records are read."""
    problem, messages = item
    if isinstance(problem, Record):
        problem = problem.environment.from_parameters(problem.parameters)
    return dialogue.respond((problem, messages))


def _results(
    pool: Pool,
    items: Sequence[G],
    ask: Callable[[Iterable[tuple[Problem | Record, G]]], Iterable[Any]],
) -> list[Any]:
    """What is said of each item, or why its problem could not be generated."""
    problems = _problems(pool, items)
    ready = [
        (problem, item)
        for problem, item in zip(problems, items, strict=True)
        if not isinstance(problem, Failure)
    ]
    told = iter(ask(ready))
    results = [problem if isinstance(problem, Failure) else next(told) for problem in problems]
    _refuse_records(pool, problems, results)
    return results


def _problems(pool: Pool, items: Sequence[wire.Given]) -> list[Problem | Record | Failure]:
    """The problem of each item: a record, which only a worker reads, or generated (once)."""
    wanted: dict[Request, int] = {}
    problems: list[Record | Request] = []
    for index, item in enumerate(items):
        cls = environment(item.environment)
        if item.parameters is not None:
            problems.append(Record(cls, item.parameters))
        elif item.difficulty is None or item.seed is None:
            raise UserError(f"items[{index}] has neither parameters nor difficulty and seed")
        else:
            request = Request(cls, check_difficulty(cls, item.difficulty), item.seed)
            wanted.setdefault(request, len(wanted))
            problems.append(request)
    made = pool.generate(wanted) if wanted else []
    return [
        made[wanted[problem]] if isinstance(problem, Request) else problem for problem in problems
    ]


def _refuse_records(
    pool: Pool,
    problems: Sequence[Problem | Record | Failure],
    results: Sequence[object],
) -> None:
    """Raise a UserError if a result is missing because the client's parameters are invalid."""
    suspects = {
        index: problem
        for index, (problem, result) in enumerate(zip(problems, results, strict=True))
        if isinstance(problem, Record) and isinstance(result, Failure) and result.kind == "error"
    }
    for index, loaded in zip(suspects, pool.load_iter(suspects.values()), strict=True):
        if isinstance(loaded, Failure):
            raise UserError(f"items[{index}]: {loaded.message}")
