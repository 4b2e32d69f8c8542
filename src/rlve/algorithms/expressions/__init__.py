"""Expressions in x: read, simplify, differentiate, evaluate, compare and write them.

nodes      what an expression is made of
build      expressions from X with number, add, subtract, multiply, divide, power and apply
parser     parse("x^2/2 + log(Abs(x))"): untrusted text -> Expression, or Unparseable;
           rational("3*(4 - 1)/7"): untrusted text -> exact value, or Unparseable
printer    text(expression), which parse reads back
calculus   derivative(expression)
numeric    evaluate(expression, points): values at real points, with bounds on their errors
equality   equal(a, b): whether they are the same function, or nearly so;
           is_antiderivative(F, f) and is_defined(F, f)
precise    differ(a, b): whether many digits tell them apart
"""
