from random import Random
from typing import Self

import rlve
from rlve.answers import integers


def run(program: list[str], initial: list[int], limit: int) -> tuple[list[int], int, int] | None:
    """The final counters, the steps, and how often the busiest loop went back; None if that is too much."""
    code = []
    for line in program:
        words = line.split()
        counter = ord(words[1]) - ord("A") if words[0] in ("inc", "dec", "jz") else 0
        target = int(words[-1]) if words[0] in ("jz", "jmp") else 0
        code.append((words[0], counter, target))
    values = list(initial)
    back = [0] * (len(code) + 1)
    line_number = 1
    for steps in range(1, limit + 1):
        name, counter, target = code[line_number - 1]
        if name == "halt":
            return values, steps, max(back)
        following = line_number + 1
        if name == "inc":
            values[counter] += 1
            if values[counter] > 999:
                return None
        elif name == "dec":
            values[counter] = max(0, values[counter] - 1)
        elif name == "jz":
            if values[counter] == 0:
                following = target
        else:
            following = target
            if target < line_number:
                back[line_number] += 1
        line_number = following
    return None


def simple(rng: Random, code: list[str], names: str, weight: float) -> None:
    code.append(f"{'inc' if rng.random() < weight else 'dec'} {rng.choice(names)}")


def others(rng: Random, names: str, counter: str) -> str:
    """The counters that a body changes: mostly all but the one that is counted down."""
    return names if rng.random() < 0.05 else names.replace(counter, "")


def block(rng: Random, code: list[str], names: str, kind: str, depth: int) -> None:
    """Append a block; a loop or choice may have inner blocks if depth is above 1."""
    if kind == "simple":
        for _ in range(rng.randint(1, 2)):
            simple(rng, code, names, 0.6)
        return
    counter = rng.choice(names)
    start = len(code) + 1
    code.append("")
    if kind == "loop":
        code.append(f"dec {counter}")
        body(rng, code, others(rng, names, counter), depth)
        code.append(f"jmp {start}")
        code[start - 1] = f"jz {counter} {len(code) + 1}"
    else:
        body(rng, code, names, depth)
        code.append("")
        middle = len(code)
        code[start - 1] = f"jz {counter} {middle + 1}"
        body(rng, code, names, depth)
        code[middle - 1] = f"jmp {len(code) + 1}"


def body(rng: Random, code: list[str], names: str, depth: int) -> None:
    inner = depth > 1 and rng.random() < 0.6
    for _ in range(1 if inner else rng.randint(1, 2)):
        simple(rng, code, names, 0.7)
    if inner:
        block(rng, code, names, rng.choice(["loop", "choice"]), depth - 1)


def chain(rng: Random, names: str, block_num: int) -> tuple[list[int], list[str]]:
    """Initial values, and a program of loops each of which adds one counter to another; it halts soon."""
    initial = [rng.randint(4, 5) for _ in names]
    order = rng.sample(names, len(names))
    program: list[str] = []
    for i in range(block_num):
        counter, other = order[i % len(order)], order[(i + 1) % len(order)]
        start = len(program) + 1
        program += [f"jz {counter} {start + 4}", f"dec {counter}", f"inc {other}", f"jmp {start}"]
    program.append("halt")
    return initial, program


class CounterMachine(rlve.Environment[list[int]]):
    """Run a machine with counters and jumps until it halts."""

    max_difficulty = 20

    counter_num: int
    initial: list[int]
    program: list[str]
    reference_answer: str

    template = """
        A machine has {counter_num} counters, each of which holds an integer that is at least 0. It runs a program whose lines are numbered from 1. The instructions are, with a counter X and a line number m:

        inc X: add 1 to counter X and go on with the next line.
        dec X: subtract 1 from counter X, or leave it at 0 if it is 0, and go on with the next line.
        jz X m: if counter X is 0, go on at line m, otherwise with the next line. X is not changed.
        jmp m: go on at line m.
        halt: stop.

        At the beginning, the counters are {values}. The machine starts at line 1 of this program:

        {lines}

        Which values do the counters have when the machine has halted?

        Output format: {counter_num} integers separated by single spaces, the values of the counters in alphabetical order ({names}).
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "counter_num": 3 + d // 6,
                "block_num": 1 + d // 3,
                "depth": 1 if d < 4 else 2 if d < 12 else 3,
                "min_steps": 3 + 5 * d,
                "max_steps": 60 + 30 * d,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, counter_num: int, block_num: int, depth: int, min_steps: int, max_steps: int
    ) -> Self:
        names = "ABCDEFGHIJ"[:counter_num]
        for _ in range(300):
            lowest = 1 if block_num == 1 else 0
            initial = [rng.randint(lowest, 9) for _ in names]
            kinds = ["loop"] + rng.choices(["simple", "loop", "choice"], [2, 5, 2], k=block_num - 1)
            rng.shuffle(kinds)
            program: list[str] = []
            for kind in kinds:
                block(rng, program, names, kind, depth)
            program.append("halt")
            if len(program) > 90:
                continue
            result = run(program, initial, max_steps)
            if result is None:
                continue
            values, steps, back = result
            if steps < min_steps or back < 2 or values == initial:
                continue
            break
        else:
            initial, program = chain(rng, names, block_num)
            values = (run(program, initial, max_steps) or (initial, 0, 0))[0]
        return cls(
            counter_num=counter_num,
            initial=initial,
            program=program,
            reference_answer=" ".join(map(str, values)),
        )

    def prompt(self) -> str:
        names = "ABCDEFGHIJ"[: self.counter_num]
        return self.fill(
            values=", ".join(f"{name} = {value}" for name, value in zip(names, self.initial)),
            lines="\n".join(f"{number}: {line}" for number, line in enumerate(self.program, 1)),
            names=", ".join(names),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == [int(value) for value in self.reference_answer.split()] else 0.0
