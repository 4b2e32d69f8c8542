"""What an environment's test file declares as data, and the tests that each table is.

    PROBLEM = Sorting(N=3, array=[2, 9, 2], gold_answer=[2, 2, 9], reference_answer="2 2 9")
    SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}}
    REWARDS = {1.0: ["2 2 9"], (1 / 3) ** 10: ["2 9 2"], -0.5: ["2 2", ""], -1.0: ["2, 2, 9"]}
    SAMPLES = {200: {"difficulty": range(10)}}

A dialogue declares REPLIES in place of REWARDS. tests/envs/conftest.py makes a test of each table,
in the file that declares it, and calls a test that takes a `problem` with each problem of the file.
"""

from collections.abc import Iterable
from inspect import signature
from itertools import product
from random import Random


def check_rewards(module):
    """Each answer earns its reward, and is right if that is `PASSING` or more (1, if not declared).

    REWARDS are those of PROBLEM or, of several problems, a list of (problem, its rewards).
    """
    passing = getattr(module, "PASSING", 1.0)
    wrong = []
    for problem, rewards in tables_of(module):
        for reward, answers in rewards.items():
            for answer in answers:
                verdict = problem.verify(f"<answer>{answer}</answer>")
                right = (verdict.reward, verdict.correct) == (reward, reward >= passing)
                if not right or (reward == -1 and verdict.well_formed):
                    wrong.append(f"{answer!r} should earn {reward}: {verdict} of {problem}")
    assert not wrong, "\n".join(wrong)
    earned = {reward for _, rewards in tables_of(module) for reward in rewards}
    assert min(earned) < passing <= max(earned), "a table has answers that are right, and wrong"


def check_schedule(module):
    """Each level has these settings; where a value is a list, one setting for each of its items."""
    declared = "REWARDS" if hasattr(module, "REWARDS") else "REPLIES"
    cls = type(tables_of(module, declared)[0][0])
    wrong = [
        f"level({d}) should be {settings(level)}, not {cls.level(d)}"
        for d, level in module.SCHEDULE.items()
        if cls.level(d) != settings(level)
    ]
    assert not wrong, "\n".join([cls.__name__, *wrong])


def check_replies(module):
    """Each conversation, its moves with slashes between them, has its outcome at the last move.

    REPLIES are those of PROBLEM or, of several problems, a list of (problem, its replies).
    """
    wrong = []
    for problem, replies in tables_of(module, "REPLIES"):
        for outcome, conversations in replies.items():
            for conversation in conversations:
                moves = conversation.split(" / ")
                said = told(problem, moves)
                if len(said) < len(moves) or not is_meant(outcome, said[-1]):
                    wrong.append(f"{conversation!r} should end with {outcome!r}: {said}, {problem}")
    assert not wrong, "\n".join(wrong)
    outcomes = {outcome for _, replies in tables_of(module, "REPLIES") for outcome in replies}
    assert outcomes >= {1.0, 0.0, None}, "a table has moves that win, lose, and cannot be read"


def check_samples(module, test):
    """The test holds for each problem of the file; it may ask for the seed of the problem, too.

    One that yields pairs of an answer and whether it is right is about what `verify` says of them.
    """
    for seed, problem in samples_of(module):
        known = {"problem": problem, "seed": seed}
        try:
            answers = test(**{name: known[name] for name in signature(test).parameters})
            if answers is not None:
                check_answers(problem, answers)
        except Exception as error:
            error.add_note(f"{problem}, of seed {seed}")
            raise


def check_answers(problem, answers):
    """Just those are right that are said to be, and the reference is one of them."""
    right = []
    for answer, is_right in answers:
        text = written(answer)
        assert problem.verify(f"<answer>{text}</answer>").correct == is_right, text
        if is_right:
            right.append(text.split())
    assert problem.reference().split() in right, "the reference is none of them"


def written(answer):
    """A text as it is, a row as its values, rows as lines."""
    if isinstance(answer, str):
        return answer
    between = "\n" if answer and isinstance(answer[0], (list, tuple)) else " "
    return between.join(
        written(part) if isinstance(part, (list, tuple)) else str(part) for part in answer
    )


def samples_of(module):
    """The problems of the tables, and those of SAMPLES, each with the seed it was made with.

    With SAMPLES = {150: {"N": range(3, 9), "MAX": [2, 5]}}, 150 problems are sampled: the first one
    with N = 3 and MAX = 2, the next one with N = 4 and MAX = 5, and so on, from the start again
    where a list ends. "difficulty" is that with which a problem is generated.
    """
    tables = tables_of(module, "REWARDS" if hasattr(module, "REWARDS") else "REPLIES")
    yield from ((0, problem) for problem, _ in tables)
    cls = type(tables[0][0])
    for count, choices in module.SAMPLES.items():
        for seed in range(count):
            level = {
                name: values[seed % len(values)] if isinstance(values, Iterable) else values
                for name, values in choices.items()
            }
            if "difficulty" in level:
                yield seed, cls.generate(seed=seed, **level)
            else:
                yield seed, cls.sample(Random(seed), **level)


def is_meant(outcome, said):
    """Whether a table's outcome is what was said; one that ends in ... says how it begins."""
    if isinstance(outcome, str) and outcome.endswith("..."):
        return isinstance(said, str) and said.startswith(outcome[:-3])
    return said == outcome


def told(problem, moves):
    """What is said to each move: a text, the reward if it ends there, None if it is unreadable."""
    return [
        _outcome(reply) for reply in problem.replies(f"<answer>{move}</answer>" for move in moves)
    ]


def _outcome(reply):
    if reply.verdict is not None:
        won = reply.verdict.reward == 1
        assert (reply.verdict.correct, "You have won." in reply.text) == (won, won)
        return reply.verdict.reward
    said, _, left = reply.text.rpartition("\n")
    assert left.startswith("You have ")
    return said if reply.readable else None


def tables_of(module, name="REWARDS"):
    """The problems of a test file, each with its table."""
    tables = getattr(module, name)
    return [(module.PROBLEM, tables)] if isinstance(tables, dict) else tables


def settings(level):
    """Written out: {"N": 3, "M": [1, 2]} is {"N": 3, "M": 1} and {"N": 3, "M": 2}."""
    if isinstance(level, list):
        return level
    choices = [value if isinstance(value, Iterable) else [value] for value in level.values()]
    return [dict(zip(level, chosen, strict=True)) for chosen in product(*choices)]
