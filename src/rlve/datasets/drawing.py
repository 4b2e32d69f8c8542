"""Drawing problems for a file: so many of an environment at a difficulty, each from its own seed.

What a pool draws this way depends on the cells alone, never on the number of its workers.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from rlve.contract import AnyEnvironment, Problem
from rlve.pool import Failure, Pool, Request


@dataclass(eq=False)
class Cell:
    """An environment at a difficulty, and what became of the problems drawn from it."""

    environment: AnyEnvironment
    difficulty: int
    seeds: Random
    wanted: int = 0
    written: int = 0
    repeats: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def missing(self) -> int:
        return self.wanted - self.written

    def draw(self) -> Request:
        """What to generate next."""
        return Request(self.environment, self.difficulty, self.seeds.getrandbits(48))


C = TypeVar("C", bound=Cell)


def drawn(
    pool: Pool, cells: Iterable[C]
) -> Iterator[tuple[C, Request, tuple[Problem, str | None] | Failure]]:
    """One problem of each cell, in order, with its reference; a cell may be there many times."""
    requests: deque[tuple[C, Request]] = deque()  # the pool reads them in advance

    def draw() -> Iterator[Request]:
        for cell in cells:
            requests.append((cell, cell.draw()))
            yield requests[-1][1]

    for made in pool.solve_iter(draw()):
        yield *requests.popleft(), made
