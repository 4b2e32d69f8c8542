"""Problems and outputs between the wire and the pool.

A request can only name environments that this process knows. It can never make it load code:
MODULE:CLASS and FILE.py:CLASS, which the command line accepts, are not names here.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from rlve import dialogue
from rlve.collections import collection, is_collection
from rlve.contract import Problem, Verdict, check_difficulty
from rlve.dialogue import Dialogue, Reply
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Request
from rlve.pool.worker import find_problem
from rlve.registry import environment, is_dialogue
from rlve.server import wire


class TooLarge(UserError):
    """A request has more items than the server accepts."""


def check_size(count: int, most: int) -> None:
    """Raise TooLarge if a request has too many items."""
    if count > most:
        raise TooLarge(f"a request may have at most {most:,} items, not {count:,}")


def generate(pool: Pool, wanted: wire.Generate, most: int) -> list[wire.WireProblem]:
    """The requested problems, in order."""
    check_size(sum(each.count for each in wanted.requests), most)
    requests = [
        request for each in wanted.requests for request in islice(_requests(each), each.count)
    ]
    results = pool.solve_iter(requests) if wanted.reference else pool.generate(requests)
    return [
        _wire_problem(request, result, parameters=wanted.parameters)
        for request, result in zip(requests, results, strict=True)
    ]


def _requests(wanted: wire.Wanted) -> Iterator[Request]:
    name = wanted.environment
    classes = [environment(each) for each in (collection(name) if is_collection(name) else (name,))]
    for cls in classes:
        check_difficulty(cls, wanted.difficulty)
    for index, cls in enumerate(cycle(classes)):
        yield Request(cls, wanted.difficulty, wanted.seed + index)


def _wire_problem(
    request: Request,
    result: Problem | tuple[Problem, str | None] | Failure,
    *,
    parameters: bool,
) -> wire.WireProblem:
    named = wire.WireProblem(
        environment=request.name, difficulty=request.difficulty, seed=request.seed
    )
    if isinstance(result, Failure):
        return named.model_copy(update={"failure": wire.WireFailure.of(result)})
    problem, reference = result if isinstance(result, tuple) else (result, None)
    return named.model_copy(
        update={
            "prompt": problem.prompt(),
            "turns": problem.turns if isinstance(problem, Dialogue) else None,
            "parameters": problem.parameters() if parameters else None,
            "reference": reference,
        }
    )


def verify(pool: Pool, wanted: wire.Verify, *, explain: bool = False) -> list[Verdict | Failure]:
    """The verdict on each output, in order, or why there is none."""
    given = list(enumerate(_find(wanted.items)))
    return _judge(pool, wanted, given, [item.output for item in wanted.items], explain=explain)


def score(pool: Pool, wanted: wire.ScoreGroups) -> list[list[Verdict | Failure]]:
    """The verdicts on the outputs of each group, in order."""
    problems = _find(wanted.items)
    outputs = [output for group in wanted.items for output in group.outputs]
    given = [
        (index, problem)
        for index, (problem, group) in enumerate(zip(problems, wanted.items, strict=True))
        for _ in group.outputs
    ]
    judged = iter(_judge(pool, wanted, given, outputs))
    return [list(islice(judged, len(group.outputs))) for group in wanted.items]


def respond(pool: Pool, wanted: wire.Respond) -> list[Reply | Failure]:
    """The reply to each conversation, in order, or why there is none."""
    for index, item in enumerate(wanted.items):
        if not is_dialogue(environment(item.environment)):
            raise UserError(f"items[{index}]: {item.environment} does not answer back")
    problems = _find(wanted.items)
    messages = [item.messages for item in wanted.items]
    replies = list(pool.call_iter(_reply, zip(problems, messages, strict=True)))
    _refuse_records(pool, list(enumerate(problems)), replies)
    return replies


def _reply(item: tuple[Request, Sequence[str]]) -> Reply:
    """The reply to messages; runs in a worker."""
    given, messages = item
    return dialogue.respond((find_problem(given), messages))


def _find(items: Sequence[wire.Given]) -> list[Request]:
    """The problem of each item: only a worker reads or generates it."""
    found: list[Request] = []
    for index, item in enumerate(items):
        cls = environment(item.environment)
        if item.parameters is not None:
            found.append(Request(cls, parameters=item.parameters))
        elif item.difficulty is None or item.seed is None:
            raise UserError(f"items[{index}] has neither parameters nor difficulty and seed")
        else:
            found.append(Request(cls, check_difficulty(cls, item.difficulty), item.seed))
    return found


def _judge(
    pool: Pool,
    wanted: wire.Judging,
    given: Sequence[tuple[int, Request]],
    outputs: Sequence[str],
    *,
    explain: bool = False,
) -> list[Verdict | Failure]:
    """The verdict on each output for its problem, which comes with the index of its item."""
    ask = pool.explain if explain else pool.judge
    pairs = ((problem, output) for (_, problem), output in zip(given, outputs, strict=True))
    results = list[Verdict | Failure](ask(pairs, marker=wanted.marker, reading=wanted.reading))
    _refuse_records(pool, given, results)
    return results


def _refuse_records(
    pool: Pool, given: Sequence[tuple[int, Request]], results: Sequence[object]
) -> None:
    """Raise a UserError if a result is missing because the client's parameters are invalid."""
    suspects = {
        index: problem
        for (index, problem), result in zip(given, results, strict=True)
        if problem.parameters is not None and isinstance(result, Failure) and result.kind == "error"
    }
    if not suspects:
        return
    for index, loaded in zip(suspects, pool.generate(suspects.values()), strict=True):
        if isinstance(loaded, Failure):
            raise UserError(f"items[{index}]: {loaded.message}")
