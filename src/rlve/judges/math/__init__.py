r"""Mathematical questions with one known answer, compared as mathematics and not as text.

Such questions come from data sets, not from a generator. `equal` says whether an answer means the
same as the truth. Accepting a wrong answer is worse than refusing a right one, so whatever has two
meanings is refused. An answer goes through these modules:

    notation      one way to write each thing: \dfrac12 and ½ become \frac{1}{2}
    reader        the outer form (forms): lists, tuples, intervals, units, equations
    equality      form against form, by strict rules; sets, relations and values
    latex         the expressions inside a form, as trees
    expressions   the values of trees; expressions are equal if their values are

Operations are counted, so that no answer takes more than a fraction of a second.
"""

from rlve.judges.math.equality import equal
from rlve.judges.math.question import MathQuestion

__all__ = ["MathQuestion", "equal"]
