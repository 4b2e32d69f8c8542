"""Whether two expressions are equal, and whether one is an antiderivative of the other.

The canonical form of their difference decides if it is a number. If not, values decide, first at
1024 points of [-2, 2]. Two values differ if rounding cannot explain the difference and it is larger
than TOLERANCE, or than TOLERANCE times the median size of the function if that is below 1. A point
counts if both values are defined and rounding is smaller than this. Enough points have to count,
and the values must differ at none of them, nor at points far away where both are defined. At a few
of those that count, they must also agree to many digits.
"""

from typing import TYPE_CHECKING

from rlve.algorithms.expressions.build import ZERO, add, subtract, without_constant
from rlve.algorithms.expressions.calculus import derivative
from rlve.algorithms.expressions.nodes import Expression, Number, Sum, TooLarge, Undefined
from rlve.algorithms.expressions.numeric import evaluate
from rlve.algorithms.expressions.points import far_points, near_points
from rlve.algorithms.expressions.precise import agree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENOUGH = 256  # points of [-2, 2] that have to count
TOLERANCE = 1e-5
PRECISE = 6  # of the points that count, compared to many digits
FAR_TOLERANCE = 1e-9  # relative, far away: the bounds on rounding should explain everything
SOMEWHERE = 8  # points where an antiderivative has to be defined
MAX_OPERATIONS = 5000  # of the difference; beyond it nothing is equal

STEP = 1e-3  # half the distance over which F has to rise as the integral of f
RISES = 128  # how many of these are checked


def equal(a: Expression, b: Expression) -> bool:
    """Whether a and b have the same values wherever both are defined; b sets the scale."""
    verdict = _by_form(a, b)
    return _agreement(a, b) is not None if verdict is None else verdict


def differ_by_constant(a: Expression, b: Expression) -> bool:
    """Whether a - b is, by its form, a number."""
    difference = _difference(a, b)
    return difference is not None and not difference.has_variable


def is_antiderivative(F: Expression, f: Expression) -> bool:
    """Whether the derivative of F is f wherever both are defined.

    F can jump at single points, as log(Abs(x)) and Abs(x)/x do at 0. It must not do so everywhere:
    for a large k, f*atan(tan(k*x))/k is almost 0, yet its derivative is f to any precision. So the
    differences between values of F must also be right.
    """
    try:
        slope = derivative(F)
    except (TooLarge, Undefined):
        return False
    verdict = _by_form(slope, f)
    return values_confirm(F, slope, f) if verdict is None else verdict


def values_confirm(F: Expression, slope: Expression, f: Expression) -> bool:
    """Whether F is an antiderivative of f, from the values of F, of its derivative and of f."""
    points = _agreement(slope, f)
    return points is not None and _rises(F, f, points)


def is_defined(F: Expression, f: Expression) -> bool:
    """Whether F has real values where f does; log(-x**2)/2 has the derivative 1/x, but none."""
    import numpy as np

    terms = F.terms if isinstance(F, Sum) else (F,)
    moving = add(*(term for term in terms if not isinstance(term, Number)))  # one can overflow
    points = np.concatenate([near_points(), far_points(moving)])
    both = np.isfinite(evaluate(moving, points).value) & np.isfinite(evaluate(f, points).value)
    return int(np.count_nonzero(both)) >= SOMEWHERE


def _difference(a: Expression, b: Expression) -> Expression | None:
    try:
        return subtract(a, b)
    except TooLarge:
        return None


def _by_form(a: Expression, b: Expression) -> bool | None:
    """Whether a and b are equal, if the form of their difference tells."""
    import numpy as np

    difference = _difference(a, b)
    if difference is None or difference.operations > MAX_OPERATIONS:
        return False
    if difference == ZERO:
        return True
    if difference.has_variable:
        return None
    value, error = evaluate(difference, np.zeros(1))
    return False if abs(value[0]) > error[0] else None


def _agreement(a: Expression, b: Expression) -> "NDArray[np.float64] | None":
    """The points that count, if they are enough and a and b differ at none."""
    import numpy as np

    points = near_points()
    x, y = evaluate(a, points), evaluate(b, points)
    with np.errstate(all="ignore"):
        distance = np.abs(x.value - y.value)
        rounding = x.error + y.error
    comparable = np.isfinite(distance) & np.isfinite(rounding)
    if np.count_nonzero(comparable) < ENOUGH:
        return None
    size = float(np.median(np.abs(y.value[comparable])))
    tolerance = TOLERANCE * min(1.0, size or 1.0)
    if np.any(distance[comparable] > tolerance + rounding[comparable]):
        return None
    counting = points[comparable & (rounding <= tolerance)]
    if len(counting) < ENOUGH or _differ_far_away(a, b):
        return None
    few = counting[len(counting) // (2 * PRECISE) :: len(counting) // PRECISE]
    return counting if agree(a, b, few.tolist()) else None


def _differ_far_away(a: Expression, b: Expression) -> bool:
    import numpy as np

    points = far_points(a)
    x, y = evaluate(a, points), evaluate(b, points)
    with np.errstate(all="ignore"):
        distance = np.abs(x.value - y.value)
        explained = 4 * (x.error + y.error) + FAR_TOLERANCE * np.abs(y.value)
        return bool(np.any(np.isfinite(distance) & (distance > explained)))


def _rises(F: Expression, f: Expression, points: "NDArray[np.float64]") -> bool:
    """Whether F rises as the integral of f does, from shortly before to shortly after the points.

    Not everywhere: the integral, by Simpson's rule, is rough near the zeros and poles of f.
    """
    import numpy as np

    centre = points[:: max(1, len(points) // RISES)]
    before, after = centre - STEP, centre + STEP
    moving = without_constant(F)  # a large one would drown the differences
    with np.errstate(all="ignore"):
        ends = evaluate(moving, np.concatenate([before, after]), continued=True).value
        start, end = np.split(ends, 2)
        slopes = evaluate(f, np.concatenate([before, centre, after])).value
        left, middle, right = np.split(slopes, 3)
        rise = end - start
        integral = (left + 4 * middle + right) * (STEP / 3)
        as_expected = np.abs(rise - integral) <= 0.1 * np.abs(integral)
    defined = int(np.count_nonzero(np.isfinite(rise)))
    return 4 * defined >= len(centre) and 4 * int(np.count_nonzero(as_expected)) >= 3 * defined
