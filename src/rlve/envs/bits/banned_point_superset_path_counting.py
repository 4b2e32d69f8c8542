from functools import cache
from itertools import combinations, product
from math import comb
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import prefer, redraw, spread
from rlve.text import lines
from rlve.work import Work, modulo, show_sum

LatticePoint: TypeAlias = tuple[int, int, int]

START: LatticePoint = (0, 0, 0)


class BannedPointSupersetPathCounting(Environment[int]):
    """Count the paths that set bits of one coordinate at a time and avoid some points.

    At low levels, most problems would have the answer 0 or 1. Larger answers are preferred, and the
    answers of several draws are made equally likely.
    """

    MAX_N_M_R: int
    MAX_O: int
    N: int
    M: int
    R: int
    O: int  # noqa: E741  the published name
    obstacles: list[LatticePoint]
    MOD: int
    reference_answer: int

    max_difficulty = 40  # at 47, generating a problem takes too long

    template = """
        A path goes through points with three non-negative integer coordinates. It starts at
        (0, 0, 0) and ends at ({N}, {M}, {R}).

        Each step changes exactly one coordinate. It replaces the value a of that coordinate by an
        integer b with b != a and (a AND b) = a, where AND is bitwise: b has all the bits that are
        set in a, and at least one more.

        The path must not visit any of {these}:

        {obstacles}

        How many different paths are there? Two paths are different if their sequences of visited
        points are. Give the number modulo {MOD}.

        Output format: one integer from 0 to {last}, the number of paths modulo {MOD}.
        """

    def prompt(self) -> str:
        return self.fill(
            these="these points" if self.O != 1 else "this point",
            obstacles=lines(self.obstacles),
            last=self.MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M_R": grow(1, d), "MAX_O": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M_R: int, MAX_O: int) -> Self:
        def draw() -> Self:
            target = redraw(
                lambda: (
                    rng.randint(0, MAX_N_M_R),
                    rng.randint(0, MAX_N_M_R),
                    rng.randint(0, MAX_N_M_R),
                ),
                until=lambda point: sum(map(int.bit_count, point)) >= 2,
            )
            between = 2 ** sum(map(int.bit_count, target)) - 2
            obstacles = random_points(rng, target, rng.randint(1, min(MAX_O, between)))
            MOD = rng.randint(2, 10_000)
            return cls(
                MAX_N_M_R=MAX_N_M_R,
                MAX_O=MAX_O,
                N=target[0],
                M=target[1],
                R=target[2],
                O=len(obstacles),
                obstacles=obstacles,
                MOD=MOD,
                reference_answer=count_paths(target, obstacles) % MOD,
            )

        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: problem.reference_answer > 1, tries=4),
            by=lambda problem: problem.reference_answer,
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        target = (self.N, self.M, self.R)
        yield f"Bits never vanish, so take the points whose bits {target} has. For each, add up"
        yield "the paths to the points from which one step leads there: those that lack some of its"
        yield "bits in just one coordinate. Points that are not allowed have 0 paths."
        xs, ys, zs = (sorted(parts(value)) for value in target)
        banned = set(self.obstacles)
        ways: dict[LatticePoint, int] = {START: 1}
        yield f"{START}: 1"
        for point in product(xs, ys, zs):
            if point == START:
                continue
            if point in banned:
                yield f"{point}: 0, not allowed"
                continue
            before = [
                other
                for other in ways
                if sum(a != b for a, b in zip(other, point, strict=True)) == 1
                and all(a & b == a for a, b in zip(other, point, strict=True))
            ]
            ways[point] = sum(ways[other] for other in before)
            shown = ", ".join(map(str, before)) or "none"
            yield f"{point} from {shown}: {show_sum(ways[other] for other in before)}"
        count = ways[target]
        return str(count if count < self.MOD else (yield from modulo(count, self.MOD)))


def random_points(rng: Random, target: LatticePoint, count: int) -> list[LatticePoint]:
    """Distinct points below the target, in random order, neither the start nor the target.

    For each coordinate the number of bits is drawn first, then the bits.
    """
    points: set[LatticePoint] = {START, target}
    for _ in range(100 * count):
        if len(points) == count + 2:
            break
        x, y, z = (random_part(rng, value) for value in target)
        points.add((x, y, z))
    missing = count + 2 - len(points)
    if missing:  # there are few points, and nearly all are needed
        x, y, z = map(parts, target)
        others = [point for point in product(x, y, z) if point not in points]
        points.update(rng.sample(others, missing))
    return rng.sample(sorted(points - {START, target}), count)


def random_part(rng: Random, value: int) -> int:
    bits = bits_of(value)
    return sum(rng.sample(bits, rng.randint(0, len(bits))))


def parts(value: int) -> list[int]:
    """All integers whose set bits are also set in the value."""
    bits = bits_of(value)
    return [sum(chosen) for k in range(len(bits) + 1) for chosen in combinations(bits, k)]


def bits_of(value: int) -> list[int]:
    return [1 << i for i in range(value.bit_length()) if value >> i & 1]


def count_paths(target: LatticePoint, obstacles: list[LatticePoint]) -> int:
    """For each obstacle and the target, the paths that meet no other obstacle before it.

    From all paths to a point, subtract those that meet an obstacle, by the first one they meet.
    """
    met: list[tuple[LatticePoint, int]] = []
    clear = 0
    for x, y, z in [*sorted(obstacles), target]:
        clear = free_paths(x.bit_count(), y.bit_count(), z.bit_count())
        for (a, b, c), paths in met:
            if a & x == a and b & y == b and c & z == c:
                clear -= paths * free_paths(
                    (a ^ x).bit_count(), (b ^ y).bit_count(), (c ^ z).bit_count()
                )
        met.append(((x, y, z), clear))
    return clear


@cache
def free_paths(a: int, b: int, c: int) -> int:
    """The number of ways to set this many bits of the three coordinates, ignoring obstacles."""
    if a == b == c == 0:
        return 1
    return (
        sum(comb(a, k) * free_paths(a - k, b, c) for k in range(1, a + 1))
        + sum(comb(b, k) * free_paths(a, b - k, c) for k in range(1, b + 1))
        + sum(comb(c, k) * free_paths(a, b, c - k) for k in range(1, c + 1))
    )
