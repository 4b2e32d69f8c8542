from itertools import product

from rlve.envs.dialogues.debug_program import DebugProgram
from support.tables import told

PROBLEM = DebugProgram(
    L=3, M=13, program=[("add", 5), ("multiply", 3), ("add", 2)], line=2, constant=4
)
SCHEDULE = {0: {"L": 3, "M": 13}, 1: {"L": 5, "M": 23}, 20: {"L": 43, "M": 173}}
REPLIES = {
    "1": ["run 1 0"],
    "6": ["run 1 1"],
    "11": ["run 1 2"],  # 4 * 6, and not 3 * 6
    "0": ["run 1 3"],
    "Not allowed: ...": ["run 13 1", "run -1 1", "run 1 4", "run 1 -1"],
    None: ["run 1", "answer 2", "walk 1 2", "run one 2", ""],
    1.0: ["answer 2 4", "run 1 1 / run 1 2 / answer 2 4"],
    0.0: ["answer 2 3", "answer 1 4", " / ".join(["run 1 1"] * 4)],
}
SAMPLES = {100: {"difficulty": [0, 1]}}


def test_replies_are_the_values_of_the_faulty_machine_and_no_other_fault_gives_them(problem, seed):
    runs = list(product(range(problem.M), range(problem.L + 1)))
    machine = [value(problem, problem.line, problem.constant, *run) for run in runs]
    for (x, k), said in list(zip(runs, machine, strict=True))[seed % 5 :: 5]:
        assert told(problem, [f"run {x} {k}"]) == [str(said)]
    for line, constant in product(range(1, problem.L + 1), range(1, problem.M)):
        if constant != problem.program[line - 1][1]:
            same = all(
                value(problem, line, constant, *run) == said
                for run, said in zip(runs, machine, strict=True)
            )
            assert same == ((line, constant) == (problem.line, problem.constant))


def value(problem, faulty, constant, x, count):
    for number, (operation, written) in enumerate(problem.program[:count], 1):
        used = constant if number == faulty else written
        x = (x + used if operation == "add" else x * used) % problem.M
    return x
