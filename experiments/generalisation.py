"""The paper's main claim: does RLVE help on environments that a model was never trained on?

    python -m experiments.start --model Qwen/Qwen2.5-Coder-1.5B-Instruct
    python -m experiments.generalisation --benchmarks FOLDER

A model is trained on C256 and tested on environments outside it. It starts with form already learnt
(experiments/start.py), so what it gains is not form. Two controls: the start itself, and the same
training with the rewards of each group permuted (experiments/permuted.py). OMEGA-500, OlympiadBench
and BBEH are read from files (docs/benchmarks.md). Adapters keep checkpoints small: one of rank 4
has about 55 MB, so that a run can go on over several sittings (experiments/sitting.py).
"""

from typing import Any

from experiments.plans import REASONER, Plan
from experiments.runner import main

START = "runs/start/model"
FROM_START: dict[str, Any] = REASONER | {
    "policy.model": START,
    "policy.lora-rank": 4,
    "rollout.signal": "correct",
    "rollout.overlong": "mask",
    "validation.levels": [0, 1, 2],
    "validation.problems": 4,
    "validation.held-out": 32,
    "validation.every": 50,
}
"""Rewards of 0 and 1, and outputs that are cut off teach nothing: no reward is for form."""
TESTS = {"others": "runs/start/tests.jsonl"}
EVALUATION = {"samples": 4, "temperature": 0.6, "max-tokens": 1024, "seed": 1}

PLANS = {
    "generalisation": Plan(
        question="Does RLVE help on environments never trained on?",
        first="accuracy on other environments at the last step: RLVE against permuted",
        settings=FROM_START | {"data.environments": ["C256"], "run.steps": 400},
        arms={"RLVE": {}, "permuted": {"update.loss": "experiments.permuted:PERMUTED"}},
        seeds=[0],
        tests=TESTS | {name: name for name in ("omega-500", "olympiad-bench", "bbeh")},
        evaluation=EVALUATION,
        baseline="permuted",
        pass_at=4,
        minutes=50,
    )
}

if __name__ == "__main__":
    raise SystemExit(main(PLANS))
