from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import grid, indexed
from rlve.work import Work, state


class RoundTableAssignment(Environment[list[list[int]]]):
    """Seat groups at tables so that no two people from a group sit at the same table."""

    MAX_N_M: int
    M: int
    R: list[int]
    N: int
    C: list[int]
    reference_answer: str

    max_difficulty = 30  # at 37, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        {M} groups of people, numbered from 0 to {last_group}, are to be seated at {N} tables,
        numbered from 0 to {last_table}. Group i has R[i] members:

        {R}

        Table j has C[j] seats:

        {C}

        Give every person a table such that no two members of the same group sit at the same table
        and no table j gets more than C[j] people in total. There is such a seating; if there are
        several, any of them is right.

        Output format: {M} lines, one for each group from 0 to {last_group} in this order. The
        line of group i has the R[i] different numbers of the tables where its members sit, in any
        order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last_group=self.M - 1,
            last_table=self.N - 1,
            R=indexed("R", self.R),
            C=indexed("C", self.C),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        M = rng.randint(2, MAX_N_M)
        R = [rng.randint(2, MAX_N_M) for _ in range(M)]
        seating = [sorted(rng.sample(range(MAX_N_M), size)) for size in R]
        used = sorted({table for tables in seating for table in tables})
        number = {table: j for j, table in enumerate(used)}
        return cls(
            MAX_N_M=MAX_N_M,
            M=M,
            R=R,
            N=len(used),
            C=[sum(table in tables for tables in seating) for table in used],
            reference_answer=grid([number[table] for table in tables] for tables in seating),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        if [len(tables) for tables in answer] != self.R:
            return INVALID
        if any(len(set(tables)) != len(tables) for tables in answer):
            return INVALID
        seated = [0] * self.N
        for tables in answer:
            for j in tables:
                if not 0 <= j < self.N:
                    return INVALID
                seated[j] += 1
        satisfied = sum(people <= seats for people, seats in zip(seated, self.C, strict=True))
        return ratio(satisfied, self.N) ** 5

    def work(self) -> Work[str]:
        yield "Seat the largest group first, each time at the tables with the most free seats."
        yield "If a seating has one of the group at u, and none at such a table v, then v has an"
        yield "empty seat, or a person from a group that is not at u: move to v, or swap."
        free, seating = list(self.C), dict[int, list[int]]()
        yield state("Free seats", free)
        for group in sorted(range(self.M), key=lambda i: -self.R[i]):
            tables = sorted(range(self.N), key=lambda j: -free[j])[: self.R[group]]
            for j in tables:
                free[j] -= 1
            seating[group] = sorted(tables)
            seated = f"Group {group}, {self.R[group]} members: {state('tables', seating[group])}"
            yield f"{seated}. {state('Free seats', free)}"
        return grid(seating[group] for group in range(self.M))
