"""Compares what an experiment has finished: everything that is published comes from here."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.commands import Commands
from experiments.folders import sampled_tokens, training_table
from experiments.plans import Plan

# Where runs are evaluated: at the last step, at equal tokens, and at the end of each sitting.
END, TOKENS, SITTINGS = "end", "tokens", "sittings"
START = "start"


def compare(plan: Plan, folder: Path, commands: Commands) -> None:
    """Compare what is finished, print it, and keep it."""
    runs = [(arm, seed, folder / "runs" / arm / str(seed)) for arm, seed in plan.pairs]
    parts = [str(plan), training_table(runs)]
    titles = {TOKENS: f"nearest to {plan.tokens:,} tokens"} if plan.tokens else {}
    titles |= {END: "at the last step", SITTINGS: "at the end of each sitting"}
    for at, title in titles.items():
        for test in plan.tests:
            place = folder / "evals" / at / test
            words = finished(plan, place, each=at == SITTINGS)
            start = folder / "evals" / START / test / START
            begins = [f"{START}={start}"] if is_finished(start) else []
            if not words and (at == SITTINGS or not begins):
                continue
            parts.append(f"## {test}, {title}")
            if at == TOKENS:
                parts.append(tokens_table(runs, place))
            record = folder / "records" / f"{at}-{test}.json"
            record.parent.mkdir(exist_ok=True)
            parts += side_by_side(plan, [*begins, *words], record, commands)
    text = "\n\n".join(parts) + "\n"
    (folder / "results.txt").write_text(text)
    print(f"\n{text}")


def tokens_table(runs: Sequence[tuple[str, int, Path]], place: Path) -> str:
    """The step at which each run was evaluated, and the tokens that it had sampled by then."""
    lines = ["| arm | seed | step | tokens |", "| --- | ---: | ---: | ---: |"]
    for arm, seed, run in runs:
        if is_finished(evaluation := place / arm / str(seed)):
            model = json.loads((evaluation / "plan.json").read_text())["model"]
            step = int(re.findall(r"step-(\d+)", model)[-1])
            lines.append(f"| {arm} | {seed} | {step} | {sampled_tokens(run)[step]:,} |")
    return "\n".join(lines)


def side_by_side(
    plan: Plan, words: Sequence[str], record: Path, commands: Commands
) -> Iterator[str]:
    """All evaluations in a table, also by Pass@K, and each arm's difference from the baseline.

    The sentence that `rlve compare` ends with is about the best of those it is given, so each arm
    is given to it with the baseline alone.
    """
    arms = {arm: [word for word in words if word.startswith(f"{arm}=")] for arm in plan.arms}
    base = arms.pop(plan.baseline)
    more = ["--baseline", plan.baseline] if base else []
    for flags in [[]] if plan.pass_at is None else [[], ["--pass-at", str(plan.pass_at)]]:
        name = f"records/{record.stem}{'-pass' if flags else ''}"
        full = ["compare", *words, *more, *(flags or ["--record", str(record)])]
        table, _, told = commands.call(full, name).rstrip().rpartition("\n\n")
        yield table
        for arm, given in arms.items():
            if base and given:
                pair = ["compare", *base, *given, *more, *flags]
                said = commands.call(pair, f"{name}-{arm}").rstrip()
                yield said.rpartition("\n\n")[2].splitlines()[0]
        yield from told.splitlines()[1:]  # notes


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
