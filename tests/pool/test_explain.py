"""A pool says why an answer gets its verdict."""

import rlve
from rlve.pool import Request
from support.misbehaving import Misbehaving


def test_workers_explain_and_what_hangs_is_given_up():
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    record = Request(type(problem), parameters=problem.parameters())
    outputs = [f"<answer>{problem.reference()}</answer>", "<answer>a b</answer>", "nothing"]
    with rlve.Pool(workers=1, deadline=1) as pool:
        found = pool.explain((each, output) for each in (problem, record) for output in outputs)
        (hung,) = pool.explain([(Misbehaving(tag=1), "<answer>loop</answer>")])
    assert found == [problem.explain(output) for output in outputs] * 2
    assert isinstance(hung, rlve.Failure)
    assert hung.kind == "deadline"
