import re
from itertools import product

import pytest

from rlve.envs.logic.circuit import Circuit, Gate

PROBLEM = Circuit(
    N=3, M=4, tree=Gate(Gate(0, "^", 1), "&", Gate(1, "|", 0)), reference_answer="1 0 0"
)
SCHEDULE = {
    d: {"N": n, "M": [int(ratio / 10 * n) for ratio in range(20, 51)]}
    for d, n in ((0, 2), (20, 22))
}
REWARDS = {
    1.0: ["1 0 0", "1 0 1", "0 1 0"],
    0.0: ["1 1 0", "0 0 0"],
    -0.5: ["1 0", "1 0 0 0", "1 0 2", "1 0 -1", ""],
    -1.0: ["x[0]=1", "1, 0, 0"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_correct_is_what_makes_the_written_expression_true(problem):
    [line] = [line for line in problem.prompt().splitlines() if line.count("x[") == problem.M]
    code = re.sub(r"x\[(\d+)\]", r"{\1}", line)
    right = 0
    for values in product([0, 1], repeat=problem.N):
        true = eval(code.format(*values)) == 1
        answer = " ".join(map(str, values))
        assert problem.verify(f"<answer>{answer}</answer>").correct == true
        right += true
    assert right > 0


@pytest.mark.parametrize(
    "tree", [[0, "&"], [0, "+", 1], [0, "&", 3], [0, "&", -1], ["x", "&", 1], [True, "&", 1], {}]
)
def test_records_with_another_kind_of_tree_are_refused(tree):
    record = {"N": 3, "M": 2, "tree": tree, "reference_answer": "1 1 1"}
    with pytest.raises(ValueError, match="tree"):
        Circuit.from_parameters(record)


def test_deep_trees_need_no_deep_recursion():
    tree = 0
    for _ in range(5000):
        tree = Gate(tree, "^", 1)
    problem = Circuit(N=2, M=5001, tree=tree, reference_answer="1 0")
    assert problem.verify("<answer>1 1</answer>").correct
    assert problem.prompt().count("^ x[1])") == 4999
