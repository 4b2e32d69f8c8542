import re
from fractions import Fraction
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines


def landing(square: int, face: int, last: int, jumps: dict[int, int], exact: bool) -> int:
    """Where the token stands after a turn."""
    target = square + face
    if target > last:
        return square if exact else last
    return jumps.get(target, target)


def expected_turns(last: int, faces: list[int], jumps: dict[int, int], exact: bool) -> Fraction | None:
    """The expected number of turns from square 0; None if the game may never end."""
    reached = [0]
    for square in reached:
        if square != last:
            for face in faces:
                target = landing(square, face, last, jumps, exact)
                if target not in reached:
                    reached.append(target)
    ending = {last}
    for _ in range(last + 1):
        more = {
            square
            for square in reached
            if square not in ending and any(landing(square, face, last, jumps, exact) in ending for face in faces)
        }
        ending |= more
    if any(square not in ending for square in reached):
        return None

    squares = sorted(square for square in reached if square != last)
    place = {square: index for index, square in enumerate(squares)}
    size = len(squares)
    # Equations: m E(s) - sum of E(target) = m, solved by elimination from the last square down.
    rows = []
    for square in squares:
        row = [Fraction(0)] * (size + 1)
        row[place[square]] += len(faces)
        row[size] = Fraction(len(faces))
        for face in faces:
            target = landing(square, face, last, jumps, exact)
            if target != last:
                row[place[target]] -= 1
        rows.append(row)
    for index in range(size - 1, -1, -1):
        pivot = rows[index]
        for other in range(index):
            factor = rows[other][index] / pivot[index]
            if factor:
                rows[other] = [a - factor * b for a, b in zip(rows[other], pivot)]
    return rows[0][size] / rows[0][0]


class LadderGame(rlve.Environment[str]):
    """The expected number of turns of a short board game with ladders."""

    max_difficulty = 20

    last: int
    faces: list[int]
    ladders: list[list[int]]  # foot and top
    slides: list[list[int]]  # top and foot
    exact: bool
    reference_answer: str

    template = """
        A board has the squares 0 to {last}. One token starts on square 0, and the game ends as soon as the token stands on square {last}. A fair die has {face_num} faces with the numbers {face_line}; each listed face is equally likely.

        In one turn the die is thrown once, and the token moves forward by as many squares as the number thrown. {overshoot}

        {jumps}
        If the token ends its move on the starting square of one of these, it goes at once, in the same turn, to the square at the other end. Passing over a square, or arriving at the other end, has no effect.

        What is the expected number of turns until the token stands on square {last}, counting the last turn?

        Output format: the expected number as a fraction p/q in lowest terms, two positive integers with a slash between them and without spaces, such as 29/8.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "shortest": 5 + d // 2,
                "longest": 7 + (d + 1) // 2,
                "most_faces": 4 if d >= 10 else 3,
                "highest_face": 4 if d >= 8 else 3,
                "ladder_num": 1 + d // 8,
                "slide_num": d // 6,
                "rule_num": 2 if d >= 4 else 1,
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        shortest: int,
        longest: int,
        most_faces: int,
        highest_face: int,
        ladder_num: int,
        slide_num: int,
        rule_num: int,
    ) -> Self:
        for _ in range(200):
            last = rng.randint(shortest, longest)
            faces = sorted(rng.randint(1, highest_face) for _ in range(rng.randint(2, most_faces)))
            exact = rng.randrange(rule_num) == 1
            ends = rng.sample(range(last + 1), 2 * (ladder_num + slide_num))
            pairs = [sorted(ends[i : i + 2]) for i in range(0, len(ends), 2)]
            ladders = sorted(pairs[:ladder_num])
            slides = sorted([high, low] for low, high in pairs[ladder_num:])
            jumps = {start: end for start, end in ladders + slides}
            if faces[0] == faces[-1] or 0 in jumps or last in jumps:
                continue
            answer = expected_turns(last, faces, jumps, exact)
            if answer is None or answer.denominator < 5:
                continue
            without = {start: end for start, end in jumps.items() if start > end}
            if answer != expected_turns(last, faces, without, exact):
                break
        else:
            # With the faces 1 and 2 and this ladder, the denominator is 2 ** (last - 2).
            last = rng.randint(shortest, longest)
            faces, ladders, slides, exact = [1, 2], [[1, last - 1]], [], False
            answer = expected_turns(last, faces, {1: last - 1}, exact) or Fraction(0)
        return cls(
            last=last,
            faces=faces,
            ladders=ladders,
            slides=slides,
            exact=exact,
            reference_answer=f"{answer.numerator}/{answer.denominator}",
        )

    def prompt(self) -> str:
        if self.exact:
            overshoot = (
                f"If the throw would lead beyond square {self.last}, the token stays where it is; the turn counts "
                "all the same."
            )
        else:
            overshoot = f"If the throw would lead beyond square {self.last}, the token moves to square {self.last}."
        jumps = [f"Ladder from square {start} up to square {end}." for start, end in self.ladders]
        jumps += [f"Slide from square {start} down to square {end}." for start, end in self.slides]
        return self.fill(
            face_num=str(len(self.faces)),
            face_line=", ".join(map(str, self.faces)),
            overshoot=overshoot,
            jumps="\n".join(jumps),
        )

    def parse(self, text: str) -> str:
        match = re.fullmatch(r"([0-9]{1,60}) ?/ ?([0-9]{1,60})", " ".join(text_lines(text)).strip())
        if match is None:
            raise rlve.Unparseable("not a fraction p/q")
        return f"{int(match[1])}/{int(match[2])}"

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
