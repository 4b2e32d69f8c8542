"""The paper's Figure 5: do more environments teach more about others?

    python -m experiments.start --model Qwen/Qwen2.5-Coder-1.5B-Instruct
    python -m experiments.environment_scaling

The same start (experiments/start.py) is trained on four environments and on 256, each with adaptive
difficulty, for as many steps with as many rollouts. What is compared is accuracy on environments
that are in neither.
"""

from experiments.generalisation import EVALUATION, FROM_START, TESTS
from experiments.plans import Plan
from experiments.runner import main

PLANS = {
    "environment-scaling": Plan(
        question="Does training on more environments help more on others?",
        first="accuracy on other environments at the last step: C256 against C4",
        settings=FROM_START | {"run.steps": 200},
        arms={name: {"data.environments": [name]} for name in ("C4", "C256")},
        seeds=[0, 1],
        tests=TESTS,
        evaluation=EVALUATION,
        baseline="C4",
        pass_at=4,
        minutes=25,
    )
}

if __name__ == "__main__":
    raise SystemExit(main(PLANS))
