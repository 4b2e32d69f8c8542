"""Drawing problems for a file: so many of an environment at a difficulty, each from its own seed.

What a pool draws this way depends on the cells alone, never on the number of its workers.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import TypeVar

from rlve.contract import AnyEnvironment, Problem
from rlve.datasets.rows import ProblemRow
from rlve.formats import Format
from rlve.pool import Failure, Pool, Request
from rlve.pool.worker import attempt


@dataclass(eq=False)
class DrawnCell:
    """An environment at a difficulty, and what became of the problems drawn from it."""

    environment: AnyEnvironment
    difficulty: int
    seeds: Random
    wanted: int = 0
    written: int = 0
    repeats: int = 0
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
    """Draws rows that are distinct from all it has drawn before; a format fixes their prompts.

    Problems are the same if they are of one environment and read the same, whatever their
    parameters: a limit that no reader sees makes no other problem.
    """

    def __init__(self, pool: Pool, *, form: Format | None = None, duplicates: bool = False) -> None:
        self._pool = pool
        self._form = form
        self._duplicates = duplicates  # whether they are kept
        self._seen: set[bytes] = set()

    def draw(self, cells: Iterable[C]) -> Iterator[tuple[C, ProblemRow | None]]:
        """One problem of each cell, in order, or None where it is not new or cannot be generated.

        A cell may be there many times. It is told what became of its problems.
        """
        for cell, request, made in self._generated(cells):
            found = made if isinstance(made, Failure) else attempt(self._row, request, *made)
            if isinstance(found, Failure):
                cell.failures.append(found)
                yield cell, None
                continue
            digest, row = found
            if digest in self._seen and not self._duplicates:
                cell.repeats += 1
                yield cell, None
                continue
            self._seen.add(digest)
            cell.written += 1
            yield cell, row

    def _generated(
        self, cells: Iterable[C]
    ) -> Iterator[tuple[C, Request, tuple[Problem, str | None] | Failure]]:
        requests: deque[tuple[C, Request]] = deque()  # the pool reads them in advance

        def draw() -> Iterator[Request]:
            for cell in cells:
                requests.append((cell, cell.draw()))
                yield requests[-1][1]

        for made in self._pool.solve_iter(draw()):
            yield *requests.popleft(), made

    def _row(
        self, request: Request, problem: Problem, answer: str | None
    ) -> tuple[bytes, ProblemRow]:
        """What tells a problem from others, and its row."""
        text = f"{type(problem).__name__}\0{problem.prompt()}"
        row = ProblemRow.of(
            problem,
            difficulty=request.difficulty,
            seed=request.seed,
            form=self._form,
            answer=answer,
        )
        return blake2b(text.encode(), digest_size=16).digest(), row
