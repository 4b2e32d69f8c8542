"""Folders of training runs that nobody made."""

import json

EVIL = "<script>alert('x')</script> & </pre>"


def run_folder(
    folder, names=("Sorting", "SAT"), *, steps=20, risen=1, static=None, dataset=None, samples=()
):
    """A folder as a run leaves it: the first `risen` environments climb a level every 5 steps."""
    folder.mkdir(exist_ok=True)
    config = {
        "kind": "train",
        "policy": {"model": "some/where/nano"},
        "data": {"static": static, "dataset": dataset, "tau_acc": 0.9},
        "rollout": {"group": 8},
    }
    (folder / "config.json").write_text(json.dumps(config))
    with (folder / "metrics.jsonl").open("w") as file:
        for step in range(1, steps + 1):
            quiet = step == 3  # its batch was in the cache
            high = {name: step // 5 if i < risen else 0 for i, name in enumerate(names)}
            if static:
                high = dict.fromkeys(names, static[1])
            record = {
                "step": step,
                "reward": None if quiet else step / 20,
                "accuracy": None if quiet else step / 20,
                "accuracy_at_high": None if quiet else 0.5,
                "effective_prompt_ratio": 0.0 if quiet else 0.5,
                "response_tokens": None if quiet else 8.5,
                "tokens": 0 if quiet else 1000,
                "prompts": 0 if quiet else 24,
                "bounds": {name: [0, high[name]] for name in names},
                "accuracy_at_high_of": {} if quiet else dict.fromkeys(names, step / 20),
                "raised": {},
                "seconds": {"rollouts": 1.0, "update": 0.5, "in all": 2.0 * step},
            }
            print(json.dumps(record), file=file)
    with (folder / "rollouts.jsonl").open("w") as file:
        for step, name in samples:
            answer = {"reward": 1.0, "correct": True, "well_formed": True}
            wrong = {"reward": -1.0, "correct": False, "well_formed": False}
            record = {
                "step": step,
                "environment": name,
                "difficulty": 2,
                "seed": 1,
                "prompt": f"Sort {step}. {EVIL}",
                "reference": None,
                "rewards": [1.0, -1.0],
                "best": {"text": EVIL, "verdict": answer, "place": 0, "reward": 1.0},
                "worst": {"text": "x" * 10_000, "verdict": wrong, "place": 1, "reward": -1.0},
            }
            print(json.dumps(record), file=file)
    return folder
