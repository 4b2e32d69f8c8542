import pytest

from rlve.errors import Unparseable
from rlve.judges.math.expressions import expression

pytest.importorskip("math_verify")


def test_numbers_too_large_are_refused_at_once():
    for answer in ("9^{9^{9^{9}}}", "(10^{100000})!", r"\binom{10^{12}}{10^{6}}", "2^{10^{9}}"):
        with pytest.raises(Unparseable):
            expression(answer)
