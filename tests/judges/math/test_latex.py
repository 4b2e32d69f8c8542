import pytest

from rlve.errors import Unparseable
from rlve.judges.math.latex import explicit


def test_doubtful_products_get_a_dot():
    assert explicit("2 (3)") == r"2\cdot (3)"
    assert explicit(r"2 \frac{1}{3}") == r"(2+\frac{1}{3})"


@pytest.mark.parametrize(
    "text",
    ["2 3", "x2", "1/2x", "123_7", "n!!", "f'(x)", r"\foo", "(1", "1)", "x^", r"\frac1"],
)
def test_what_could_be_misread_is_refused(text):
    with pytest.raises(Unparseable):
        explicit(text)
