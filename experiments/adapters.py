"""At what rate do adapters learn as fast as full weights?

    python -m experiments.adapters adapters-0.5B --discard
    python -m experiments.adapters adapters-1.5B --discard

Each model is trained with all its weights and with adapters of rank 8, at three learning rates
each, for as many steps on C256. The table says what accuracy in training came to, ten steps at a
time, how long an update took and what a checkpoint weighs. Nothing else is evaluated. A checkpoint
of full weights takes twelve bytes a parameter: --discard removes it.
"""

from experiments.plans import REASONER, Plan
from experiments.runner import main


def rates(size: str, full: list[float], adapters: list[float], minutes: float) -> Plan:
    """A model, and the rates to train it at; the middle ones are the default for its size."""
    return Plan(
        question=f"At what rate do adapters learn as fast as full weights, with {size}?",
        first="accuracy in training in the last ten steps: rank 8 against full weights, best rates",
        settings=REASONER
        | {
            "policy.model": f"Qwen/Qwen2.5-Coder-{size}-Instruct",
            "data.environments": ["C256"],
            "rollout.max-tokens": 640,
            "validation.every": 0,
            "run.steps": 40,
            "run.checkpoint-every": 40,
        },
        arms={f"full-{rate:g}": {"update.learning-rate": rate} for rate in full}
        | {
            f"rank-8-{rate:g}": {"update.learning-rate": rate, "policy.lora-rank": 8}
            for rate in adapters
        },
        seeds=[0],
        tests={},
        evaluation={},
        baseline=f"full-{full[1]:g}",
        minutes=minutes,
    )


PLANS = {
    "adapters-0.5B": rates("0.5B", [2e-6, 4e-6, 8e-6], [4e-5, 1e-4, 2e-4], minutes=3),
    "adapters-1.5B": rates("1.5B", [1e-6, 2e-6, 4e-6], [2e-5, 5e-5, 1e-4], minutes=5),
}

if __name__ == "__main__":
    raise SystemExit(main(PLANS))
