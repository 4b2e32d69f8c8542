from rlve.judges.math.forms import Items, Named, Value
from rlve.judges.math.notation import normal
from rlve.judges.math.reader import read


def test_what_is_read():
    half_line = Items("(", (Value("-\\infty"), Value("2")), "]")
    assert read(normal(r"x \in \left(-\infty, 2\right]")) == Named("x", half_line)
    assert read(normal(r"x \leq 2")) == Named("x", half_line)
    assert read(normal(r"3 \mathrm{~cm}^{2}")) == Value("3", "cm^2")
