"""Drawing problems for a file: a number of them per environment and difficulty, each with a seed.

What is drawn depends only on these cells, never on the number of workers.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import TypeVar

from rlve.contract import AnyEnvironment, Problem
from rlve.datasets.rows import ProblemRow
from rlve.dialogue import Dialogue
from rlve.formats import Format
from rlve.pool import Failure, Pool, Request, Shown
from rlve.pool.worker import attempt


@dataclass(eq=False)
class DrawnCell:
    """An environment at a difficulty, with counts of the problems drawn from it."""

    environment: AnyEnvironment
    difficulty: int
    seeds: Random
    wanted: int = 0
    written: int = 0
    repeats: int = 0
    unworked: int = 0  # had no worked solution, though one was wanted
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def name(self) -> str:
        return self.environment.__name__

    @property
    def missing(self) -> int:
        return self.wanted - self.written

    def draw(self) -> Request:
        """What to generate next."""
        return Request(self.environment, self.difficulty, self.seeds.getrandbits(48))


C = TypeVar("C", bound=DrawnCell)


class DistinctRows:
    """Draws rows that differ from all drawn before; a format, if given, fixes their prompts.

    With `worked`, they have worked solutions, for which there must be a format.

    Two problems are the same if they have the same environment and prompt, whatever their
    parameters: a limit that no reader sees does not make a different problem. (In a dialogue, what
    no reader sees is the problem.)
    """

    def __init__(
        self,
        pool: Pool,
        *,
        format: Format | None = None,
        duplicates: bool = False,
        worked: bool = False,
    ) -> None:
        self._pool = pool
        self._format = format
        self._worked = worked
        self._duplicates = duplicates  # whether they are kept
        self._seen: set[bytes] = set()

    def draw(self, cells: Iterable[C]) -> Iterator[tuple[C, ProblemRow | None]]:
        """One problem of each cell, in order, or None if it is not new or cannot be generated.

        A cell may occur many times. Its counts are updated.
        """
        for cell, request, made in self._generated(cells):
            if isinstance(made, Shown) and not made.worked:
                cell.unworked += 1
                yield cell, None
                continue
            result = made if isinstance(made, Failure) else attempt(self._row, request, made)
            if isinstance(result, Failure):
                cell.failures.append(result)
                yield cell, None
                continue
            digest, row = result
            if digest in self._seen and not self._duplicates:
                cell.repeats += 1
                yield cell, None
                continue
            self._seen.add(digest)
            cell.written += 1
            yield cell, row

    def _generated(
        self, cells: Iterable[C]
    ) -> Iterator[tuple[C, Request, tuple[Problem, str | None] | Shown | Failure]]:
        requests: deque[tuple[C, Request]] = deque()  # the pool reads them in advance

        def draw() -> Iterator[Request]:
            for cell in cells:
                requests.append((cell, cell.draw()))
                yield requests[-1][1]

        for made in (self._pool.show_iter if self._worked else self._pool.solve_iter)(draw()):
            yield *requests.popleft(), made

    def _row(
        self, request: Request, made: tuple[Problem, str | None] | Shown
    ) -> tuple[bytes, ProblemRow]:
        """A digest that identifies a problem, and its row."""
        if isinstance(made, Shown):
            problem, answer = made.problem, made.reference
            worked = self._format and self._format.worked_output(problem, made.worked)
        else:
            (problem, answer), worked = made, None
        text = f"{type(problem).__name__}\0{problem.prompt()}"
        if isinstance(problem, Dialogue):  # what it opens with hides what it is about
            text += f"\0{problem.parameters()}"
        row = ProblemRow.of(
            problem,
            difficulty=request.difficulty,
            seed=request.seed,
            format=self._format,
            answer=answer,
            worked=worked,
        )
        return blake2b(text.encode(), digest_size=16).digest(), row
