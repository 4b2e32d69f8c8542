import re
from random import Random
from typing import Self

import rlve

DIRECTIONS = "NESW"


def compose(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int]:
    """First the motion a, then b; a motion is a shift and a number of right turns, seen by a turtle facing north."""
    x, y = b[0], b[1]
    for _ in range(a[2]):
        x, y = y, -x
    return a[0] + x, a[1] + y, (a[2] + b[2]) % 4


def run(program: str) -> tuple[int, int, int, int]:
    """The final x, y and right turns, and the number of commands carried out."""
    stack = [[1, (0, 0, 0), 0]]  # count, motion of one run, commands of one run
    tokens = program.split()
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        cost = 1
        if token in "FB":
            step = int(tokens[i])
            i += 1
            motion = (0, step if token == "F" else -step, 0)
        elif token == "R":
            motion = (0, 0, 1)
        elif token == "L":
            motion = (0, 0, 3)
        elif token == "]":
            count, once, once_cost = stack.pop()
            motion = (0, 0, 0)
            for _ in range(count):
                motion = compose(motion, once)
            cost = count * once_cost
        else:
            stack.append([int(token), (0, 0, 0), 0])
            i += 1  # the bracket
            continue
        stack[-1][1] = compose(stack[-1][1], motion)
        stack[-1][2] += cost
    return *stack[0][1], stack[0][2]


def simple(rng: Random, number: int) -> list[str]:
    """Simple commands: no two movements and no opposite turns side by side."""
    commands = []
    moving = rng.random() < 0.6
    for _ in range(number):
        if moving:
            letter = "F" if rng.random() < 0.75 else "B"
            commands.append(f"{letter} {rng.randint(1, 9)}")
            moving = False
        else:
            double = len(commands) >= 2 and commands[-1] in "LR"
            commands.append(commands[-1] if double else rng.choice("LR"))
            # Now and then the same turn a second time.
            moving = double or len(commands) < 2 or rng.random() < 0.85
    return commands


def body(rng: Random, budget: int, depth: int, count_max: int) -> list[str]:
    """The items of a body with about so many simple commands, nested so deep."""
    if depth == 0:
        return simple(rng, max(2, budget))
    inner_num = 2 if budget >= 8 and rng.random() < 0.6 else 1
    own = max(2, budget // (inner_num + 1))
    share = max(2, (budget - own) // inner_num)
    items = simple(rng, own)
    depths = [depth - 1] + [rng.randrange(depth) for _ in range(inner_num - 1)]
    for inner_depth in depths:
        inner = " ".join(body(rng, share, inner_depth, count_max))
        items.insert(rng.randint(0, len(items)), f"{rng.randint(2, count_max)} [ {inner} ]")
    return items


def stairs(rng: Random, number: int, depth: int) -> str:
    """A program with about so many simple commands, nested so deep, that goes north and east only."""
    steps = max(1, (number - depth) // 4)
    program = " ".join(f"F {rng.randint(1, 9)} R F {rng.randint(1, 9)} L" for _ in range(steps))
    for level in range(depth):
        before = f"F {rng.randint(1, 9)} " if level else ""
        program = f"{before}{rng.randint(2, 3)} [ {program} ]"
    return f"{program} {rng.choice('LR')}"


class NestedTurtle(rlve.Environment[tuple[int, int, str]]):
    """Run a turtle program with nested repetitions."""

    command_num: int
    depth: int
    count_max: int
    program: str
    reference_answer: str

    template = """
        A turtle stands on the point (0, 0) of the plane and faces north. North is the direction of growing y, east is the direction of growing x. The turtle runs a program, from left to right. The program is made of these commands:
        - F k: go k units forward, in the direction the turtle faces.
        - B k: go k units backward, without turning.
        - L: turn left by 90 degrees on the spot.
        - R: turn right by 90 degrees on the spot.
        - n [ ... ]: run what stands between the two brackets n times in a row; each run goes on from the place and the direction in which the run before ended. Such repetitions can stand inside each other.

        The program:

        {program}

        Where is the turtle at the end, and which way does it face?

        Output format: the x coordinate, the y coordinate, and one of the letters N, E, S, W for the direction, separated by single spaces, for example: -3 12 W
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"command_num": 5 + 2 * d, "depth": min(5, 1 + d // 4), "count_max": 3 + 3 * d // 10}]

    @classmethod
    def sample(cls, rng: Random, command_num: int, depth: int, count_max: int) -> Self:
        for _ in range(300):
            program = " ".join(body(rng, command_num, depth, count_max))
            x, y, turns, cost = run(program)
            if x != 0 and y != 0 and cost <= 200_000:
                break
        else:
            program = stairs(rng, command_num, depth)
            x, y, turns, cost = run(program)
        return cls(
            command_num=command_num,
            depth=depth,
            count_max=count_max,
            program=program,
            reference_answer=f"{x} {y} {DIRECTIONS[turns]}",
        )

    def parse(self, text: str) -> tuple[int, int, str]:
        match = re.fullmatch(r"([+-]?[0-9]{1,12}) +([+-]?[0-9]{1,12}) +([NESWnesw])", text.strip())
        if match is None:
            raise rlve.Unparseable("expected two integers and a letter")
        return int(match[1]), int(match[2]), match[3].upper()

    def score(self, answer: tuple[int, int, str]) -> float:
        x, y, direction = self.reference_answer.split()
        return 1.0 if tuple(answer) == (int(x), int(y), direction) else 0.0
