from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, WRONG, exact
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, is_easy, multiply, state

Operation: TypeAlias = tuple[str, int]  # an operation +, - or *, and its operand


class QuantumLockPuzzle(Environment[list[int]]):
    """Press buttons, whose effects alternate, until a number has a given value.

    Any presses that reach the target are right, however many. Presses that lead to no new value, so
    that none is needed, are redrawn.
    """

    N: int
    steps: int  # about the number of random presses from which the target is taken
    Y_start: int
    buttons: list[tuple[Operation, Operation]]  # the rules of each for X = 0 and for X = 1
    Y_target: int
    reference_answer: str

    max_difficulty = 400  # at 480, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        A lock has a switch X, which is 0 or 1, and an integer Y. At first X = 0 and Y = {Y_start}.

        There are {N} buttons, numbered from 0 to {last}. Pressing a button changes Y by a rule that
        depends on X, and after that X changes from 0 to 1 or from 1 to 0. The rules are:

        {buttons}

        Find a sequence of buttons after which Y = {Y_target}; X can be 0 or 1 then. Each button can
        be pressed any number of times. There is such a sequence; if there are several, any of them
        is right.

        Output format: one line with the numbers of the buttons in the order in which they are
        pressed, separated by spaces. If none needs to be pressed, the answer is empty.
        """

    def prompt(self) -> str:
        buttons = [
            f"Button {i}: if X = 0, Y becomes Y {a} {u}; if X = 1, Y becomes Y {b} {v}"
            for i, ((a, u), (b, v)) in enumerate(self.buttons)
        ]
        return self.fill(last=self.N - 1, buttons=lines(buttons))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 2, "steps": steps} for steps in range(2, 11)]

    @classmethod
    def sample(cls, rng: Random, N: int, steps: int) -> Self:
        def draw() -> Self:
            Y_start = rng.randint(-N, N)
            buttons = [(random_rule(rng, N), random_rule(rng, N)) for _ in range(N)]
            presses = [rng.randrange(N) for _ in range(steps + rng.randint(0, 1))]
            Y_target, needed = last_new_value(Y_start, buttons, presses)
            return cls(
                N=N,
                steps=steps,
                Y_start=Y_start,
                buttons=buttons,
                Y_target=Y_target,
                reference_answer=spaced(presses[:needed]),
            )

        return prefer(draw, lambda problem: problem.Y_target != problem.Y_start)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not all(0 <= button < self.N for button in answer):
            return INVALID
        # No press brings Y nearer to 0 by more than this, so beyond the bound the target is out of
        # reach. Without a bound, repeated multiplication would make Y huge.
        step = max(value for rules in self.buttons for _, value in rules)
        bound = abs(self.Y_target) + step * len(answer)
        y = self.Y_start
        for count, button in enumerate(answer):
            y = applied(self.buttons[button][count % 2], y)
            if abs(y) > bound:
                return WRONG
        return exact(y == self.Y_target)

    def work(self) -> Work[str]:
        yield "Press every button from each X and Y, in the order in which they come up. Write down"
        yield "only a Y that is new for the X after the press, and by which buttons."
        yield f"Stop after the line that leads to Y = {self.Y_target}."
        presses: dict[tuple[int, int], list[int]] = {(0, self.Y_start): []}
        for x, y in (queue := [(0, self.Y_start)]):
            reached = next((way for (_, z), way in presses.items() if z == self.Y_target), None)
            if reached is not None:
                yield state("Buttons", reached)
                return spaced(reached)
            new: list[str] = []
            for button, rules in enumerate(self.buttons):
                operation, value = rules[x]
                after = 1 - x, applied(rules[x], y)
                if after not in presses:
                    presses[after] = [*presses[x, y], button]
                    queue.append(after)
                    step = f"{y} {operation} {value} = {after[1]}"
                    if not is_easy(operation, y, value):
                        yield from multiply(y, value)
                        step = str(after[1])
                    new.append(f"{step} by {spaced(presses[after])}")
            yield f"X = {x}, Y = {y}: {', '.join(new) or 'nothing new'}"
        return ""


def random_rule(rng: Random, N: int) -> Operation:
    (operation,) = rng.choices("+-*", (0.4, 0.4, 0.2))
    return operation, rng.randint(2, 3) if operation == "*" else rng.randint(1, N)


def applied(rule: Operation, y: int) -> int:
    operation, value = rule
    if operation == "*":
        return y * value
    return y + value if operation == "+" else y - value


def last_new_value(
    y: int, buttons: list[tuple[Operation, Operation]], presses: list[int]
) -> tuple[int, int]:
    """The last new value of Y, and the number of presses that lead there."""
    met = {y}
    target, needed = y, 0
    for count, button in enumerate(presses):
        y = applied(buttons[button][count % 2], y)
        if y not in met:
            met.add(y)
            target, needed = y, count + 1
    return target, needed
