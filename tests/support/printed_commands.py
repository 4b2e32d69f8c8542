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
    "rlve new RomanSum": None,
    "rlve dataset -c C16 -n 10000 -d 0..8 -o problems.parquet": (
        "rlve dataset -c C16 -n 160 -d 0..8 -o problems.parquet"
    ),
    "rlve score outputs.jsonl": None,
    "rlve check --all": "rlve check Sorting EuclidGame --seeds 2",
    "rlve train": f"rlve train {SMALL} --run.folder runs/first",
    "rlve rollouts runs/NAME": "rlve rollouts runs/first",
    "rlve export runs/NAME my-model": "rlve export runs/first my-model",
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
    # docs/trainers/verl.md
    "rlve verl --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B --collection C16 --gpus 8 "
    "--set actor_rollout_ref.model.use_fused_kernels=True": (
        "rlve verl --model deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B --collection C16 --gpus 8 "
        "--set actor_rollout_ref.model.use_fused_kernels=True "
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
    "rlve model FILE.gguf FOLDER": "it needs that file; test_teach.py reads another",
    "rlve model SmolLM2-135M-Instruct.Q4_1.gguf smollm2": "it needs that file",
    "rlve teach --policy.model FOLDER": "it needs that model; test_teach.py teaches another",
    "rlve teach --policy.model smollm2 --data.without C256 HELD_OUT --run.folder runs/taught "
    "--data.examples 16 --run.steps 100": "it needs that model; test_teach.py runs it with another",
    "rlve train --preset smollm2-135m --policy.model runs/taught/checkpoints/step-000100/model "
    "--run.folder runs/trained --run.steps 15": "it needs that model, as above",
    "rlve eval --model runs/trained/checkpoints/step-000015 --suite held-out --max-tokens 64": (
        "it needs that model, as above"
    ),
}
