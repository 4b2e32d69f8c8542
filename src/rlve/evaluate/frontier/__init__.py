"""The frontier of a model: the difficulty at which it is right half of the time, by environment.

curves    what right and wrong answers say about a frontier
measure   asks a model, in rounds, at the difficulties that say most
profile   what was found, and how it was measured
compare   two models, environment by environment
"""

from collections.abc import Mapping
from typing import NamedTuple

HIGHEST = 100  # the highest difficulty that is tried


class Tally(NamedTuple):
    """The answers of one environment at one difficulty."""

    right: int = 0
    wrong: int = 0


Tallies = Mapping[int, Tally]
"""By difficulty."""
