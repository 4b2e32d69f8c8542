from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Points
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import lines


class LASLaser(Environment[int]):
    """Shoot rays from the origin that meet many segments, none of them twice.

    The answer is the total over all rays, and rays may pass between the ends of segments.
    Every answer among a dozen random problems is made equally likely.
    """

    N: int
    segments: list[tuple[int, int, int, int]]  # (x1, y1, x2, y2)
    K: int
    reference_answer: int

    guessable = (
        "With two to four segments (d = 0 to 2), nearly always all or all but one are met; at d = "
        "3 there are four answers, and one is right in a third of the problems."
    )

    max_difficulty = 250  # at 340, generating a problem takes too long
    picture = Points("segments")

    template = """
        There are {N} segments in the plane. Each line below gives the two ends of one segment,
        which can be the same point:

        {segments}

        You can shoot at most {rays} from the origin (0, 0), in any directions. A ray meets a
        segment if they have at least one point in common, even if it is only an end of the
        segment. Rays pass through segments, so that one ray can meet many. No segment may be met
        by more than one ray.

        What is the largest total number of segments that can be met by all rays together?

        Output format: one integer, this total number.
        """

    def prompt(self) -> str:
        return self.fill(
            segments=lines(f"({a}, {b})-({c}, {d})" for a, b, c, d in self.segments),
            rays="1 ray" if self.K == 1 else f"{self.K} rays",
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def coordinate() -> int:
            return rng.randint(1, 2 * N)

        def draw() -> Self:
            segments = [(coordinate(), coordinate(), coordinate(), coordinate()) for _ in range(N)]
            totals = best_totals(segments)
            K = rng.randint(1, len(totals))
            return cls(N=N, segments=segments, K=K, reference_answer=totals[K - 1])

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def best_totals(segments: list[tuple[int, int, int, int]]) -> list[int]:
    """The largest totals for 1, 2, ... rays, as long as another ray meets more segments.

    Directions are numbered by slope: even numbers for the ends of segments, odd numbers for the
    gaps between neighbouring ends. A segment is an interval of these numbers. The totals are
    concave (a linear program with an interval matrix), so the first idle ray ends the search.
    """
    slopes = [(Fraction(b, a), Fraction(d, c)) for a, b, c, d in segments]
    number = {slope: 2 * i for i, slope in enumerate(sorted({s for ends in slopes for s in ends}))}
    intervals = [(number[min(ends)], number[max(ends)]) for ends in slopes]
    met: list[tuple[int, int]] = []  # by direction: how many segments, and the start of the first
    for direction in range(2 * len(number) - 1):
        starts = [start for start, stop in intervals if start <= direction <= stop]
        met.append((len(starts), min(starts, default=direction)))
    totals = [0]
    best = [0] * (len(met) + 1)  # with the first 0, 1, 2, ... directions
    while True:
        one_more = [0]
        for count, start in met:
            one_more.append(max(one_more[-1], best[start] + count))
        best = one_more
        if best[-1] == totals[-1]:
            return totals[1:]
        totals.append(best[-1])
