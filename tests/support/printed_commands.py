"""The commands that pages show in blocks that are not run as they stand.

RUN says what is run of each: None is the command as it is printed; the others do the same with
smaller numbers. NOT_RUN says why one is not.
"""

from typing import Final

SMALL: Final = (
    "--run.steps 1 --rollout.problems 2 --rollout.oversample 2 --rollout.group 2 "
    "--rollout.max-tokens 16 --validation.problems 1 --validation.levels 0 --run.workers 1"
)
"""A step of nano, the smallest that there is."""

RUN: Final[dict[str, str | None]] = {
    # docs/first_hour.md
    "rlve list -f games": None,
    "rlve show ShortestPath -d 4 --seed 7": None,
    "rlve play Sorting": None,
    "rlve new RomanSum": None,
    "rlve dataset -c C16 -n 10000 -d 0..8 -o problems.parquet": (
        "rlve dataset -c C16 -n 160 -d 0..8 -o problems.parquet"
    ),
    "rlve score outputs.jsonl": None,
    "rlve check --all": "rlve check Sorting EuclidGame --seeds 2",
    "rlve simulate": "rlve simulate --steps 3 --problems 8 --folder runs/simulation",
    "rlve train": f"rlve train {SMALL} --run.folder runs/first",
    "rlve rollouts runs/NAME": "rlve rollouts runs/first",
    "rlve export runs/NAME my-model": "rlve export runs/first my-model",
    "rlve experiment adaptivity": (
        f"rlve experiment adaptivity {SMALL} --data.environments Sorting --seeds 1 "
        "--settings adaptive static-0-1 --test.problems 2 --test.levels 1 --test.held-out 0"
    ),
    "rlve eval -m nano --suite held-out": (
        "rlve eval -m nano --suite few.jsonl -n 1 --max-tokens 16 --folder evals/a"
    ),
    "rlve compare evals/a evals/b": None,
    "rlve verl --model M -c C16 --gpus 8": "rlve verl --model M -c C16 --gpus 8 --dry-run",
    "rlve doctor": None,
    # docs/curricula.md
    "rlve train --data.curriculum two-way --data.rehearsal 0.2": (
        f"rlve train --data.curriculum two-way --data.rehearsal 0.2 {SMALL} --run.folder runs/two"
    ),
    "rlve simulate -c C4 --curriculum adaptive bandit --rehearsal 0 0.2 --forgetting 0.01 "
    "--transfer 0.3": (
        "rlve simulate -c C4 --curriculum adaptive bandit --rehearsal 0 0.2 --forgetting 0.01 "
        "--transfer 0.3 --steps 2 --problems 4 --folder runs/curricula"
    ),
    # docs/train.md
    "rlve train --config run.yaml --run.seed 1": (
        f"rlve train --config run.yaml --run.seed 1 {SMALL} --run.folder runs/second"
    ),
    # docs/environments.md
    "rlve check my_package.my_module:DigitSum": (
        "rlve check my_package.my_module:DigitSum --seeds 2"
    ),
    "rlve check path/to/my_file.py:DigitSum": "rlve check path/to/my_file.py:DigitSum --seeds 2",
    "rlve dataset my_file.py:DigitSum -o problems.jsonl": (
        "rlve dataset path/to/my_file.py:DigitSum -n 4 -d 0..1 --format plain -o problems.jsonl"
    ),
    "rlve eval -m nano --suite problems.jsonl --load my_file.py": (
        "rlve eval -m nano --suite problems.jsonl --load path/to/my_file.py -n 1 --max-tokens 16"
    ),
    "rlve score outputs.jsonl --load my_file.py": (
        "rlve score outputs.jsonl --load path/to/my_file.py"
    ),
    # docs/engines/verl.md
    "rlve verl --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B --collection C16 --gpus 8": (
        "rlve verl --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B --collection C16 --gpus 8 "
        "--dry-run"
    ),
    "rlve verl --model Qwen/Qwen2.5-7B-Instruct --collection D16 --gpus 8": (
        "rlve verl --model Qwen/Qwen2.5-7B-Instruct --collection D16 --gpus 8 --dry-run"
    ),
    "rlve verl --model Qwen/Qwen2.5-7B --format base --collection C256 --nodes 4 --gpus 8 "
    "--max-tokens 8192 --learning-rate 1e-6 --tensor-parallel 2": (
        "rlve verl --model Qwen/Qwen2.5-7B --format base --collection C256 --nodes 4 --gpus 8 "
        "--max-tokens 8192 --learning-rate 1e-6 --tensor-parallel 2 --dry-run"
    ),
}

NOT_RUN: Final[dict[str, str]] = {
    "rlve serve": "it serves until it is stopped; tests/server asks it",
    "rlve studio": "it serves until it is stopped; tests/server asks it",
    "rlve studio --control": "it serves until it is stopped; tests/server starts runs with it",
    "rlve studio --export site": "it needs runs; tests/server exports some",
    "rlve model smollm2-135m FOLDER": "it downloads a model",
    "rlve model smollm2-135m smollm2": "it downloads a model",
    "rlve teach --policy.model FOLDER": "it needs that model; test_teach.py teaches another",
    "rlve teach --policy.model smollm2 --data.without C256 HELD_OUT --run.folder runs/taught": (
        "it needs that model"
    ),
    "rlve train --policy.model runs/taught/checkpoints/step-000400/model --data.environments C16": (
        "it needs that model"
    ),
    "rlve eval --model runs/taught/checkpoints/step-000400/model --suite held-out": (
        "it needs that model"
    ),
}
