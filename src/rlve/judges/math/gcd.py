"""The greatest common divisor of whole numbers, as a function that SymPy can evaluate at a point.

SymPy's own gcd takes letters for the variables of polynomials: to it, gcd(m, n) is 1.
"""

# SymPy leaves its types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false

import math
from typing import Any

import sympy


class Gcd(sympy.Function):
    """gcd(m, n, ...); it has a value once all its arguments are whole numbers."""

    @classmethod
    def eval(cls, *arguments: Any) -> Any:
        if all(argument.is_Integer for argument in arguments):
            return sympy.Integer(math.gcd(*map(int, arguments)))
        return None
