r"""Mathematical questions with one known answer, compared as mathematics and not as text.

Such questions come from data sets, not from a generator. `equal` says whether an answer means the
same as the truth. A wrong answer that is accepted is worse than a right one that is refused, so
math-verify, which reads and compares LaTeX, gets only what it cannot misread. An answer goes
through these modules:

    notation      one way to write each thing: \dfrac12 and ½ become \frac{1}{2}
    reading       the outer form (forms): lists, tuples, intervals, units, equations
    comparing     form against form, by strict rules; sets, relations and values
    latex         the expressions inside a form, so that a parser cannot misunderstand them
    expressions   math-verify's parser reads them; equal are those whose values are

SymPy can take for ever on a hostile answer: judge outputs in a `rlve.pool.Pool`, whose deadline
ends it.
"""

from rlve.judges.math.comparing import equal
from rlve.judges.math.question import MathQuestion

__all__ = ["MathQuestion", "equal"]
