"""Compares what an experiment has finished: everything that is published comes from here."""

from pathlib import Path

from experiments.commands import Commands
from experiments.folders import training_table
from experiments.plans import Plan

# Where runs are evaluated: at the last step, at equal tokens, and at the end of each sitting.
END, TOKENS, SITTINGS = "end", "tokens", "sittings"
START = "start"


def compare(plan: Plan, folder: Path, commands: Commands) -> None:
    """Compare what is finished, print it, and keep it."""
    runs = [(arm, seed, folder / "runs" / arm / str(seed)) for arm, seed in plan.pairs]
    parts = [f"{plan.question}\nCompared first: {plan.first}", training_table(runs)]
    titles = {TOKENS: f"at {plan.tokens:,} tokens"} if plan.tokens else {}
    titles |= {END: "at the last step", SITTINGS: "at the end of each sitting"}
    for at, title in titles.items():
        for test in plan.tests:
            words = finished(plan, folder / "evals" / at / test, each=at == SITTINGS)
            start = folder / "evals" / START / test / START
            begins = [f"{START}={start}"] if is_finished(start) else []
            if not words and (at == SITTINGS or not begins):
                continue
            if any(word.startswith(f"{plan.baseline}=") for word in words):
                words += ["--baseline", plan.baseline]
            record = folder / "records" / f"{at}-{test}.json"
            record.parent.mkdir(exist_ok=True)
            said = commands.call(
                ["compare", *begins, *words, "--record", str(record)], f"records/{at}-{test}"
            )
            parts.append(f"## {test}, {title}\n\n{said.rstrip()}")
    text = "\n\n".join(parts) + "\n"
    (folder / "results.txt").write_text(text)
    print(f"\n{text}")


def finished(plan: Plan, folder: Path, *, each: bool) -> list[str]:
    """The finished evaluations of arms, as `rlve compare` takes them.

    each   those of each run by itself, after several steps
    """
    words: list[str] = []
    for arm, seed in plan.pairs:
        place = folder / arm / str(seed)
        steps = [*place.glob("step-*")] if each else [place]
        if steps and all(map(is_finished, steps)):
            words.append(f"{f'{arm}/{seed}' if each else arm}={place}")
    return words


def is_finished(evaluation: Path) -> bool:
    return (evaluation / "results.json").exists()
