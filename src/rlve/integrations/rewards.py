"""Plain reward functions over the rows of `rlve dataset`, for trainers that ask for one.

    trainer = GRPOTrainer(model, reward_funcs=reward, train_dataset=load_dataset("json", ...))

A trainer passes the outputs, and the columns of their rows as lists of the same length; verl asks
for one output at a time (`compute_score`). No curriculum follows: the difficulty is the rows'.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from rlve.answers import Marker
from rlve.contract import Verdict
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.gym import Signal, group_rewards
from rlve.pool import Failure, shared_pool

Output = str | Sequence[Mapping[str, str]]
"""A text, or the messages of a chat, of which the last counts."""

COLUMNS = ("environment", "parameters", "marker", "defined_in")


def reward(completions: Sequence[Output], **columns: Any) -> list[float]:
    """The shaped reward of each output, from -1 to 1.

    Outputs are judged in the workers of a pool, so that a hostile one can neither hang nor crash
    the trainer. One that cannot be judged gets the mean reward of the others for its problem.
    """
    return _rewards(completions, _rows(columns), "reward")


def correct(completions: Sequence[Output], **columns: Any) -> list[float]:
    """1 for each correct output, 0 for others; otherwise like `reward`."""
    return _rewards(completions, _rows(columns), "correct")


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **_: Any
) -> float:
    """The shaped reward of one output, as verl asks for it; `ground_truth` is a row as JSON.

    Such a row may come from anywhere, so it cannot name code to load, as those of
    rlve.integrations.verl.dataset can.
    """
    row = msgspec.json.decode(ground_truth, type=ProblemRow)
    [value] = _rewards([solution_str], [row], "reward")
    return value


def _rows(columns: Mapping[str, Sequence[Any]]) -> list[ProblemRow]:
    if not {"environment", "parameters"} <= columns.keys():
        raise UserError(
            "the rows have no columns environment and parameters: train on the rows of "
            "`rlve dataset`, and keep their columns (remove_unused_columns=False in TRL)"
        )
    ours = {name: columns[name] for name in COLUMNS if name in columns}
    return [
        ProblemRow(**dict(zip(ours, values, strict=True)))
        for values in zip(*ours.values(), strict=True)
    ]


def _rewards(
    completions: Sequence[Output], rows: Sequence[ProblemRow], signal: Signal
) -> list[float]:
    judged: dict[int, Verdict | Failure] = {}
    marks: set[Marker] = {row.marker or "any" for row in rows}
    for mark in marks:
        places = [place for place, row in enumerate(rows) if (row.marker or "any") == mark]
        outputs = [(rows[place].problem(), _text(completions[place])) for place in places]
        verdicts = shared_pool().judge(outputs, marker=mark)
        judged.update(zip(places, verdicts, strict=True))
    rewards: list[float] = []
    # A trainer keeps the outputs for one problem together.
    for _, places in groupby(range(len(rows)), key=lambda place: rows[place]):
        rewards += group_rewards([judged[place] for place in places], signal).rewards
    return rewards


def _text(output: Output) -> str:
    return output if isinstance(output, str) else output[-1]["content"]
