"""The paper's Figures 3 and 4: what is lost if difficulty does not adapt?

    python -m experiments.adaptivity pilot          which environments move h within 40 steps
    python -m experiments.adaptivity Sorting        one environment by itself (Figure 3)
    python -m experiments.adaptivity Sorting-1.5B   the same with a model three times as large
    python -m experiments.adaptivity eight          eight together (Figure 4)

One model is trained with difficulties that adapt to it, and with ranges that never move. A range
that is too easy should stop teaching, and one that is too hard should waste its prompts. The eight
environments have fine levels, where a model can climb. Figure 3 is made with Sorting and two
others, which `pilot` chooses before they are run: those in which its table shows the highest h, at
least 3; of equal ones, the first in EIGHT. The pilot has another seed than the experiments.

In an earlier pilot on one H200, alone, 150 steps with at most 640 tokens took about four minutes,
and from the command to the first step 35 s. A checkpoint of full weights is 5.6 GB, and saving it
takes ten seconds: there are few, and --discard removes those that have been evaluated. The larger
model trains adapters, since three checkpoints of 18 GB would not fit on the disk there.
"""

from dataclasses import replace
from typing import Any

from experiments.plans import REASONER, Plan
from experiments.runner import main

STATIC: dict[str, dict[str, Any]] = {
    "static-0-1": {"data.static": [0, 1]},
    "static-0-20": {"data.static": [0, 20]},
    "static-0-100": {"data.static": [0, 100]},
}
EIGHT = (
    *("MaxMultSplit", "RangeFourSequenceConstruction", "Sorting", "ShortestPath"),
    *("Kth_BinaryTree", "MultiDrink", "MultipleFlippingGame", "Division"),
)
EVALUATION = {"samples": 1, "temperature": 0.6, "top-p": 0.95, "max-tokens": 1536, "seed": 1}


def alone(name: str) -> Plan:
    """One environment by itself; 1,024 tokens, so that h does not run into the limit.

    In the pilot h was 7 after a hundred steps, and 640 tokens were too few from d = 8 on.
    """
    return Plan(
        question=f"Does adaptive difficulty beat static ranges on {name}?",
        first="accuracy at d = 0 to 19 at equal tokens: each static range against adaptive",
        settings=REASONER
        | {
            "data.environments": [name],
            "validation.levels": [*range(0, 20, 2)],
            "validation.problems": 24,
            "validation.held-out": 0,
            "validation.every": 20,
            "run.steps": 100,
        },
        arms={"adaptive": {}, **STATIC},
        seeds=[0, 1, 2],
        tests={"levels": f"testset in-distribution {name} -n 800"},
        evaluation=EVALUATION,
        baseline="adaptive",
        tokens=6_000_000,
        minutes=4,
    )


SORTING = alone("Sorting")
PLANS = {
    "pilot": Plan(
        question="Which environments move h by three or more within 40 steps?",
        first="h after 40 steps; nothing is compared",
        settings=SORTING.settings
        | {"validation.every": 0, "run.steps": 40, "run.checkpoint-every": 40},
        arms={name: {"data.environments": [name]} for name in EIGHT},
        seeds=[100],
        tests={},
        evaluation={},
        baseline="Sorting",
        minutes=2,
    ),
    **{name: alone(name) for name in EIGHT},
    "Sorting-1.5B": replace(
        SORTING,
        settings=SORTING.settings
        | {"policy.model": "Qwen/Qwen2.5-Coder-1.5B-Instruct", "policy.lora-rank": 4},
        seeds=[0],
        minutes=7,
    ),
    "eight": Plan(
        question="Does adaptive difficulty beat static ranges on eight environments together?",
        first="accuracy at d = 0 to 19 at the last step: each static range against adaptive",
        settings=REASONER
        | {
            "data.environments": [*EIGHT],
            "validation.levels": [*range(0, 12, 2)],
            "validation.problems": 5,
            "validation.held-out": 0,
            "validation.every": 20,
            "run.steps": 150,
        },
        arms={"adaptive": {}, **{name: STATIC[name] for name in ("static-0-1", "static-0-20")}},
        seeds=[0, 1, 2],
        tests={"levels": f"dataset {' '.join(EIGHT)} -n 1280 -d 0..19 --seed 50"},
        evaluation=EVALUATION,
        baseline="adaptive",
        tokens=8_000_000,
        minutes=6,
    ),
}

if __name__ == "__main__":
    raise SystemExit(main(PLANS))
