"""Fresh problems whose difficulty adapts, or one fixed set again and again?

    python -m experiments.rlve_vs_rlvr

With RLVE every problem is new. With RLVR the problems are a file, exported once from the same
environments at levels 0 to 4, and repeated every epoch; the same verifiers judge them. Both take as
many steps with as many rollouts. The paper's RLVR trains on a large set of mathematics questions;
this is a small version of it, in which only the choice of problems differs.
"""

from experiments.plans import REASONER, Plan
from experiments.runner import main

PLANS = {
    "rlve-vs-rlvr": Plan(
        question="Do fresh problems of adaptive difficulty beat a fixed set?",
        first="accuracy on new problems of C256 at the last step: RLVE against RLVR",
        settings=REASONER
        | {
            "validation.levels": [0, 1, 2],
            "validation.problems": 4,
            "validation.held-out": 32,
            "validation.every": 100,
            "run.steps": 300,
        },
        arms={
            "RLVE": {"data.environments": ["C256"]},
            "RLVR": {"data.environments": ["C256"], "data.dataset": "{files}/fixed.jsonl"},
        },
        seeds=[0, 1],
        tests={
            "C256": "dataset -c C256 -n 1280 -d 0..4 --seed 1",
            "held-out": "testset held-out -n 50",
        },
        evaluation={"samples": 2, "temperature": 0.6, "max-tokens": 1024, "seed": 1},
        baseline="RLVR",
        minutes=20,
        files={"fixed.jsonl": "dataset -c C256 -n 1280 -d 0..4"},
    )
}

if __name__ == "__main__":
    raise SystemExit(main(PLANS))
