"""What guessing earns at a level: the best strategies that solve nothing, on its problems."""

from collections.abc import Callable

from rlve.contract import AnyEnvironment, Problem, Verdict
from rlve.rules.strategies import LEVELS, PROBLEMS, Earnings, Question, earnings
from rlve.rules.subject import marked


def levels(cls: AnyEnvironment) -> list[int]:
    """The difficulties at which it is measured."""
    highest = cls.max_difficulty
    return [difficulty for difficulty in LEVELS if highest is None or difficulty <= highest]


def measure(
    cls: AnyEnvironment, difficulty: int, watch: Callable[[str], None] | None = None
) -> Earnings:
    """What the best strategies earn at a level; `watch` is told of each problem."""

    def question(seed: int) -> Question:
        if watch is not None:
            watch(f"problem {seed} of difficulty {difficulty}")
        return as_question(cls.generate(difficulty=difficulty, seed=seed))

    return earnings([question(seed) for seed in range(PROBLEMS)])


def as_question(problem: Problem) -> Question:
    """A problem, as far as a strategy and its judge know it."""

    def judge(text: str) -> Verdict:
        return problem.verify(marked(text))

    return Question(problem.prompt(), problem.reference(), judge)
