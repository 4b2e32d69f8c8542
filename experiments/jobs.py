"""The lines that start each job on a machine that is lent for minutes (sitting.py)."""

from collections.abc import Iterator, Sequence

from experiments import adapters, adaptivity, environment_scaling, generalisation, rlve_vs_rlvr
from experiments.generalisation import START
from rlve.evaluate.benchmarks import BENCHMARKS

MODULES = (adaptivity, adapters, environment_scaling, generalisation, rlve_vs_rlvr)
STARTS_FROM = "Qwen/Qwen2.5-Coder-1.5B-Instruct"


def lines(models: Sequence[str], *, matrix: bool, trl: bool) -> Iterator[str]:
    """A line for each job, with these models: the names of folders in models/."""

    def local(model: str) -> str:
        """The folder of a model of as many parameters."""
        size = model.removesuffix("-Instruct").rpartition("-")[2].lower()
        return next((f"models/{name}" for name in models if size in name.lower()), model)

    start = f"python3 -m experiments.start --lora-rank 8 --model {local(STARTS_FROM)}"
    yield line("start", command=start)
    for module in MODULES:
        for name, plan in module.PLANS.items():
            command = f"python3 -m {module.__name__} {name} --minutes 5 --discard"
            if BENCHMARKS.keys() & plan.tests.values():
                command += " --benchmarks IN"
            model = plan.settings["policy.model"]
            if model == START:  # its adapters are carried, and merged again
                yield line("start", name, command=f"sh -c '{start} && {command}'")
            else:
                yield line(name, command=f"{command} --set policy.model={local(model)}")
    if trl:
        for size in ("0.5B", "1.5B"):
            name, model = f"beside-trl-{size}", local(f"Qwen/Qwen2.5-Coder-{size}-Instruct")
            words = f"--model {model} --folder runs/{name} --vllm"
            yield line(name, command=f"python3 benchmarks/beside_trl.py {words}")
    if matrix:
        yield line("matrix", command="python3 -m gpu.matrix")


def line(*keep: str, command: str) -> str:
    folders = " ".join(f"runs/{name}" for name in keep)
    words = f"IN OUT --keep {folders} --seconds 480 -- {command}"
    return f"python3 -m experiments.sitting run {words}"
