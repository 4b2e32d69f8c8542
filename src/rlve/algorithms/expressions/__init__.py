"""Expressions in x: read, simplify, differentiate, evaluate, compare and write them.

    parse("x^2/2 + log(Abs(x))")    untrusted text -> Expression, or Unparseable
    rational("3*(4 - 1)/7")         untrusted text -> exact value, or Unparseable
    text(expression)                Expression -> text, which parse reads back
    derivative(expression)          also an Expression
    evaluate(expression, points)    values at real points, with bounds on their errors
    equal(a, b)                     whether they are the same function, or nearly so
    differ(a, b)                    whether many digits tell them apart
    is_antiderivative(F, f)         whether the derivative of F is f
    is_defined(F, f)                whether F has real values where f has

Expressions can also be built from X with number, add, subtract, multiply, divide, power and apply,
and taken apart by their nodes.
"""

from rlve.algorithms.expressions.build import (
    FUNCTIONS,
    ONE,
    ZERO,
    E,
    X,
    add,
    apply,
    divide,
    multiply,
    negative,
    number,
    power,
    subtract,
    without_constant,
)
from rlve.algorithms.expressions.calculus import derivative
from rlve.algorithms.expressions.equality import (
    differ_by_constant,
    equal,
    is_antiderivative,
    is_defined,
    values_confirm,
)
from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Sum,
    TooLarge,
    Undefined,
    Variable,
)
from rlve.algorithms.expressions.numeric import Values, evaluate
from rlve.algorithms.expressions.parsing import (
    CONSTANTS,
    Written,
    integers_written,
    parse,
    parse_written,
    rational,
)
from rlve.algorithms.expressions.precise import differ
from rlve.algorithms.expressions.printing import text

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "ONE",
    "ZERO",
    "Constant",
    "E",
    "Expression",
    "Function",
    "Number",
    "Power",
    "Product",
    "Sum",
    "TooLarge",
    "Undefined",
    "Values",
    "Variable",
    "Written",
    "X",
    "add",
    "apply",
    "derivative",
    "differ",
    "differ_by_constant",
    "divide",
    "equal",
    "evaluate",
    "integers_written",
    "is_antiderivative",
    "is_defined",
    "multiply",
    "negative",
    "number",
    "parse",
    "parse_written",
    "power",
    "rational",
    "subtract",
    "text",
    "values_confirm",
    "without_constant",
]
