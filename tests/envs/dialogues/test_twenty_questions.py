from random import Random

from msgspec.structs import replace

from rlve.envs.dialogues.twenty_questions import TwentyQuestions
from support.tables import told

PROBLEM = TwentyQuestions(N=3, columns=2, table=[[1, 2], [1, 3], [2, 2]], secret=2, questions=2)
SCHEDULE = {0: {"N": 5, "columns": 3}, 4: {"N": 17, "columns": 4}, 20: {"N": 65, "columns": 8}}
REPLIES = {
    "yes": ["ask 1 1", "ask 2 3", "ask 1 2 / ask 1 1"],
    "no": ["ask 1 2", "ask 2 2", "ask 1 9"],
    "Not allowed: ...": ["ask 0 1", "ask 3 1"],
    None: ["ask 1", "answer", "answer 1 2", "guess 2", "ask one 1", ""],
    1.0: ["answer 2", "ask 1 1 / ask 2 3 / answer 2"],
    0.0: ["answer 1", "answer 4", "ask 1 1 / ask 1 1 / ask 1 1"],
}
SAMPLES = {100: {"difficulty": range(8)}}


def test_replies_single_out_the_item(problem):
    asked = [(c, v) for c in range(problem.columns) for v in (1, 2, 3, 4)]
    said = {(c, v): told(problem, [f"ask {c + 1} {v}"]) == ["yes"] for c, v in asked}
    fits = [
        item
        for item, row in enumerate(problem.table, 1)
        if all((row[c] == v) == said[c, v] for c, v in asked)
    ]
    assert fits == [problem.secret]


def test_the_turns_are_enough_whatever_the_item():
    for seed in range(10):
        problem = TwentyQuestions.generate(difficulty=seed, seed=seed)
        for item in Random(seed).sample(range(1, problem.N + 1), 5):
            moves = replace(problem, secret=item).reference_moves()
            assert moves[-1] == f"<answer>answer {item}</answer>"
            assert len(moves) <= problem.turns
