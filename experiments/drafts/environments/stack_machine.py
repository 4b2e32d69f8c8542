from random import Random
from typing import Self

import rlve
from rlve.answers import integers

NEED = {
    "PUSH": 0,
    "JMP": 0,
    "DUP": 1,
    "POP": 1,
    "JZ": 1,
    "JNZ": 1,
    "SWAP": 2,
    "OVER": 2,
    "ADD": 2,
    "SUB": 2,
    "MUL": 2,
    "ROT": 3,
}
STRAIGHT = ["PUSH", "DUP", "SWAP", "OVER", "ROT", "POP", "ADD", "SUB", "MUL"]
WEIGHTS = [5, 2, 2, 2, 2, 1, 3, 3, 2]


def run(program: list[str], limit: int) -> tuple[list[int], int, int] | None:
    """The final stack, the number of jumps made and of values computed; None if it does not halt in time."""
    code = []
    for line in program:
        name, _, number = line.partition(" ")
        code.append((name, int(number) if number else 0))
    stack: list[int] = []
    line_number, steps, jumps, computed = 1, 0, 0, 0
    while line_number <= len(code):
        if steps == limit:
            return None
        steps += 1
        name, number = code[line_number - 1]
        line_number += 1
        if len(stack) < NEED[name]:
            continue
        if name == "PUSH":
            stack.append(number)
        elif name == "DUP":
            stack.append(stack[-1])
        elif name == "OVER":
            stack.append(stack[-2])
        elif name == "SWAP":
            stack.append(stack.pop(-2))
        elif name == "ROT":
            stack.append(stack.pop(-3))
        elif name == "POP":
            stack.pop()
        elif name in ("ADD", "SUB", "MUL"):
            b = stack.pop()
            a = stack.pop()
            value = a + b if name == "ADD" else a - b if name == "SUB" else a * b
            stack.append(value % 100)
            computed += 1
        else:
            jump = True
            if name != "JMP":
                top = stack.pop()
                jump = (top == 0) == (name == "JZ")
            if jump:
                line_number = number
                jumps += 1
    return stack, jumps, computed


def straight(rng: Random, count: int, top: int) -> list[str]:
    names = rng.choices(STRAIGHT, WEIGHTS, k=count)
    return [f"PUSH {rng.randint(0, top)}" if name == "PUSH" else name for name in names]


def arithmetic(rng: Random) -> str:
    return rng.choice(["ADD", "SUB", "MUL"])


def loop(rng: Random, program: list[str], count: int, top: int) -> None:
    """Append a loop; its counter is on top before and after each part of the body."""
    program.append(f"PUSH {count}")
    start = len(program) + 1
    for _ in range(rng.randint(1, 2)):
        kind = rng.randrange(6)
        if kind == 0:
            program += ["SWAP", f"PUSH {rng.randint(1, top)}", arithmetic(rng), "SWAP"]
        elif kind == 1:
            program += ["OVER", "ROT", rng.choice(["ADD", "MUL"]), "SWAP"]
        elif kind == 2:
            program += ["DUP", "ROT", arithmetic(rng), "SWAP"]
        elif kind == 3:
            program += ["ROT", "ROT", "SWAP", "OVER", arithmetic(rng), "ROT"]
        elif kind == 4:
            program += ["DUP"]
        else:
            program += ["DUP", f"PUSH {rng.randint(1, count)}", "SUB"]
            program += [f"{rng.choice(['JZ', 'JNZ'])} {len(program) + 6}"]
            program += ["SWAP", f"PUSH {rng.randint(1, top)}", arithmetic(rng), "SWAP"]
    program += ["PUSH 1", "SUB", "DUP", f"JNZ {start}"]


def plain(rng: Random, segment_num: int, top: int) -> list[str]:
    """A program that certainly halts soon, with two or three values, one of which is computed."""
    if segment_num == 1:
        a, b = rng.randint(1, top), rng.randint(1, top)
        return [f"PUSH {max(a, b)}", f"PUSH {a}", f"PUSH {b}", "ADD", "SWAP", "OVER"]
    program = [f"PUSH {rng.randint(0, top)}" for _ in range(2)]
    for _ in range(segment_num):
        program.append("PUSH 2")
        start = len(program) + 1
        program += ["SWAP", f"PUSH {rng.randint(1, top)}", arithmetic(rng), "SWAP"]
        program += ["PUSH 1", "SUB", "DUP", f"JNZ {start}", "POP"]
    return program


class StackMachine(rlve.Environment[list[int]]):
    """Run a program of a small stack machine."""

    max_difficulty = 20  # numbers end at 99

    program: list[str]
    reference_answer: str

    template = """
        A machine has a stack of integers from 0 to 99, which is empty at first. It runs a program whose lines are numbered from 1. The instructions are:

        PUSH k: put the number k on top of the stack.
        DUP: put a copy of the top value on top.
        SWAP: exchange the two top values.
        OVER: put a copy of the second value from the top on top.
        ROT: take the third value from the top out of the stack and put it on top.
        POP: remove the top value.
        ADD, SUB, MUL: remove the top value b, then remove the new top value a, and put a + b, a - b or a * b on top, modulo 100 (always a number from 0 to 99; for a = 3 and b = 5, SUB gives 98).
        JMP m: go on at line m.
        JZ m: remove the top value; if it was 0, go on at line m, otherwise with the next line.
        JNZ m: remove the top value; if it was not 0, go on at line m, otherwise with the next line.

        DUP, POP, JZ and JNZ need at least one value on the stack; SWAP, OVER, ADD, SUB and MUL need two; ROT needs three. If there are fewer, the instruction does nothing, and the machine goes on with the next line. The machine starts at line 1. It halts when it is to go on at the line after the last one.

        The program is:

        {lines}

        What is on the stack when the machine has halted?

        Output format: the values on the stack from bottom to top, as integers separated by single spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "segment_num": 1 + d // 2,
                "max_count": 2 + d // 4,
                "max_number": 19 + 4 * d,
                "limit": 20 + 20 * d,
            }
        ]

    @classmethod
    def sample(cls, rng: Random, segment_num: int, max_count: int, max_number: int, limit: int) -> Self:
        top = max_number
        for _ in range(300):
            program = [f"PUSH {rng.randint(0, top)}" for _ in range(3)]
            kinds = ["straight"]
            if segment_num > 1:
                kinds = ["loop"]
                kinds += rng.choices(["straight", "skip", "loop"], [3, 3, 4], k=segment_num - 1)
                rng.shuffle(kinds)
            for kind in kinds:
                if kind == "straight":
                    program += straight(rng, 3, top)
                elif kind == "skip":
                    program += rng.choice([[], ["DUP"], ["OVER"]])
                    part = straight(rng, rng.randint(1, 3), top)
                    program.append(f"{rng.choice(['JZ', 'JNZ'])} {len(program) + 2 + len(part)}")
                    program += part
                else:
                    loop(rng, program, rng.randint(2, max_count), top)
            result = run(program, limit)
            if result is None:
                continue
            stack, jumps, computed = result
            pushed = {int(line[5:]) for line in program if line.startswith("PUSH ")}
            if not 2 <= len(stack) <= 8 or computed == 0 or all(value in pushed for value in stack):
                continue
            if segment_num > 1 and jumps == 0:
                continue
            break
        else:
            program = plain(rng, segment_num, top)
            stack = (run(program, limit) or ([], 0, 0))[0]
        return cls(program=program, reference_answer=" ".join(map(str, stack)))

    def prompt(self) -> str:
        return self.fill(lines="\n".join(f"{number}: {line}" for number, line in enumerate(self.program, 1)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == [int(value) for value in self.reference_answer.split()] else 0.0
