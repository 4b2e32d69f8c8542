from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.tours import cycles
from rlve.answers import integer_rows
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import counted, grid, lines, spaced
from rlve.work import Work, state

WISHES_UNMET = -0.2


class CampfireParty(Environment[list[list[int]]]):
    """Reseat students in a circle at the least cost so that all have the neighbours they want.

    At d = 0 there are three circles, and one of them needs no operation.
    """

    N: int
    desired_neighbors: list[tuple[int, int]]  # for students 0, 1, ...
    reference_answer: str
    reference_answer_cost: int

    max_difficulty = 45  # at 52, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} students, numbered from 0 to {last}, sit in a circle: first student 0, then student 1,
        and so on. Student {last} is also next to student 0.
        Each student wishes to have two particular students as direct neighbours:

        {wishes}

        They change seats by operations. An operation is a list of distinct students b1 b2 ... bm.
        At the same time, b1 moves to the seat of b2, b2 to the seat of b3, ..., and bm to the seat
        of b1. Such an operation costs m.

        Give operations, to be done one after the other, after which every student sits next to both
        wished neighbours (on either side). Make the total cost as small as possible.
        If several ways are best, any of them is right.

        Output format: one operation per line, the students b1 b2 ... bm separated by spaces.
        For example, these two lines are two operations, with a total cost of 5:
        0 2 1
        3 1
        If no operation is needed, give an empty answer.
        """

    def prompt(self) -> str:
        wishes = [f"student {i}: {a} and {b}" for i, (a, b) in enumerate(self.desired_neighbors)]
        return self.fill(last=self.N - 1, wishes=lines(wishes))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        circle = rng.sample(range(N), N)
        operations = cheapest_operations(circle)
        wishes = {circle[i]: (circle[i - 1], circle[(i + 1) % N]) for i in range(N)}
        return cls(
            N=N,
            desired_neighbors=[wishes[student] for student in range(N)],
            reference_answer=grid(operations),
            reference_answer_cost=sum(map(len, operations)),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        seat_of = list(range(self.N))
        everyone = set(seat_of)
        for operation in answer:
            students = set(operation)
            if len(students) < len(operation) or not students <= everyone:
                return INVALID
            if len(operation) > 1:  # there can be thousands of others, which move nobody
                seats = [seat_of[student] for student in operation]
                for student, seat in zip(operation, seats[1:] + seats[:1], strict=True):
                    seat_of[student] = seat
        if not all(
            {(seat_of[a] - seat) % self.N, (seat_of[b] - seat) % self.N} == {1, self.N - 1}
            for seat, (a, b) in zip(seat_of, self.desired_neighbors, strict=True)
        ):
            return WISHES_UNMET
        return ratio(self.reference_answer_cost, sum(map(len, answer))) ** 3

    def work(self) -> Work[str]:
        yield "Follow the wishes around the circle, from student 0."
        circle = [0, self.desired_neighbors[0][0]]
        while len(circle) < self.N:
            a, b = self.desired_neighbors[circle[-1]]
            circle.append(b if a == circle[-2] else a)
        yield state("Circle", circle)
        yield "Let seat i be that of student i. The circle can be turned and mirrored. Count its"
        yield f"places from 0: student x in place p stays if it is turned by (x - p) mod {self.N}."
        yield "The others move, once each, at a cost of 1. So take the most common turn."
        best, turn, most = circle, 0, 0
        for order in (circle, circle[:1] + circle[:0:-1]):
            turns = [(student - p) % self.N for p, student in enumerate(order)]
            yield f"{spaced(order)}: " + ", ".join(
                f"({student} - {p}) mod {self.N} = {t}"
                for p, (student, t) in enumerate(zip(order, turns, strict=True))
            )
            common = max(turns, key=turns.count)
            yield f"Turn {common}: {counted(turns.count(common), 'student stays', 'students stay')}"
            if turns.count(common) > most:
                best, turn, most = order, common, turns.count(common)
        target = {student: (p + turn) % self.N for p, student in enumerate(best)}
        yield f"With {spaced(best)} turned by {turn}, " + ", ".join(
            f"{student} goes to seat {target[student]}" for student in range(self.N)
        )
        moves = [cycle for cycle in cycles([target[i] for i in range(self.N)]) if len(cycle) > 1]
        yield "Operations: " + ("; ".join(map(spaced, moves)) or "none")
        return grid(moves)


def cheapest_operations(circle: list[int]) -> list[list[int]]:
    """Operations that turn the circle 0, 1, ... into the given one, or its mirror image, rotated.

    A student who moves takes part in some operation, and the cycles of the seats' permutation move
    each of them only once. So as few as possible should move: the rotation that leaves most
    students seated is best.
    """
    n = len(circle)

    def most_common_shift(students: list[int]) -> tuple[int, int]:
        shifts = Counter((student - seat) % n for seat, student in enumerate(students))
        return shifts.most_common(1)[0]

    best = max(circle, circle[::-1], key=lambda students: most_common_shift(students)[1])
    shift, _ = most_common_shift(best)
    target = [0] * n  # the seat of each student, named after the student who leaves it
    for seat, student in enumerate(best):
        target[student] = (seat + shift) % n
    return [cycle for cycle in cycles(target) if len(cycle) > 1]
