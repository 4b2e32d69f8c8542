from dataclasses import dataclass
from math import inf, nan

import msgspec
import pytest

from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, NotNegative, Positive, check_limit, check_limits


@dataclass(frozen=True)
class Settings:
    slots: AtLeastOne = 1
    top_k: AtLeastOne | None = None
    rates: tuple[Positive, ...] = ()
    name: str = ""


class Stored(msgspec.Struct):
    slots: AtLeastOne
    seconds: NotNegative = 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(slots=0), "a.slots must be at least 1, not 0"),
        (Settings(top_k=-1), "a.top-k must be at least 1, not -1"),
        (Settings(rates=(1.0, nan)), "a.rates must be above 0 and finite, not nan"),
        (Settings(rates=(inf,)), "a.rates must be above 0 and finite, not inf"),
    ],
)
def test_a_setting_beyond_its_limit_is_named(settings, message):
    with pytest.raises(UserError, match=message):
        check_limits("a.", settings)
    check_limits("a.", Settings(slots=3, top_k=1, rates=(0.5, 2.0)))


def test_an_argument_has_the_limits_of_a_setting():
    for value in (None, 1):
        check_limit("count", value, AtLeastOne)
    with pytest.raises(UserError, match="count must be at least 1, not 0"):
        check_limit("count", 0, AtLeastOne)


@pytest.mark.parametrize("text", [b'{"slots": 0}', b'{"slots": 1, "seconds": -1}'])
def test_a_record_on_disk_has_the_same_limits(text):
    assert msgspec.json.decode(b'{"slots": 1}', type=Stored).slots == 1
    with pytest.raises(msgspec.ValidationError, match=">="):
        msgspec.json.decode(text, type=Stored)
