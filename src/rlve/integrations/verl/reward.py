"""A reward function for verl: it judges one output, in whichever process verl calls it.

reward.custom_reward_function.path=pkg://rlve.integrations.verl.reward
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from rlve.datasets.transfer import TravellingRow, judge
from rlve.integrations.verl.ledger import report


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any],
    **others: Any,
) -> dict[str, float]:
    """What verl trains on (`score`), and the verdict behind it, or that judging failed.

    `ground_truth` is the problem as JSON, and `extra_info` comes from the data set. verl gives
    every reward function the other arguments.
    """
    row = msgspec.json.decode(ground_truth, type=TravellingRow)
    judged = judge(row, solution_str, deadline=extra_info["deadline"])
    return report(judged, row.cell[1], extra_info["signal"])
