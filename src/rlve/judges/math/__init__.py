r"""Mathematical questions with one known answer, compared as mathematics and not as text.

Such questions come from data sets, not from a generator. `equal` says whether an answer means the
same as the truth. Accepting a wrong answer is worse than refusing a right one, so math-verify,
which reads and compares LaTeX, only gets what it cannot misread. An answer goes through these
modules:

    notation      one way to write each thing: \dfrac12 and ½ become \frac{1}{2}
    reading       the outer form (forms): lists, tuples, intervals, units, equations
    comparing     form against form, by strict rules; sets, relations and values
    latex         the expressions inside a form, rewritten so that no parser misreads them
    expressions   math-verify's parser reads them; they are equal if their values are

SymPy may never finish on a hostile answer: judge outputs in a `rlve.pool.Pool`, which has a
deadline.
"""

from rlve.judges.math.comparing import equal
from rlve.judges.math.question import MathQuestion

__all__ = ["MathQuestion", "equal"]
