import pytest

from rlve.errors import Unparseable
from rlve.judges.math.latex import Tree, parse


def written(tree: Tree) -> str:
    if not tree.parts:
        return str(tree.content)
    head = f"{tree.head} {tree.content}".strip()
    return f"{head}({', '.join(map(written, tree.parts))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("2 (3)", "*(2, 3)"),
        (r"2 \frac{1}{3}", "7/3"),
        ("2 1/2", "5/2"),
        ("n2^n", "*(n, ^(2, n))"),
        ("-x^2", "*(-1, ^(x, 2))"),
        ("a/b/c", "*(a, ^(b, -1), ^(c, -1))"),
        ("2|x||y|", "*(2, abs(x), abs(y))"),
        ("||x|-1|", r"abs(+(abs(x), *(-1, 1)))"),
        (r"\sin 2x\cos x", "*(sin(*(2, x)), cos(x))"),
        (r"\sin^2 x", "^(sin(x), 2)"),
        (r"\sin^{-1} x", "arcsin(x)"),
        (r"\ln(x)y", "*(ln(x), y)"),
        (r"\log_2 8", "log(8, 2)"),
        (r"\sum_{k=1}^n k x+1", "+(sum k(1, n, *(k, x)), 1)"),
        ("f(x)", "apply f(x)"),
        ("p(1-p)", "*(p, +(1, *(-1, p)))"),
        ("a_{n+1}", "a_{n+1}"),
        (r"\max\{a,b\}", "max(a, b)"),
    ],
)
def test_what_is_read(text: str, tree: str):
    assert written(parse(text)) == tree


@pytest.mark.parametrize(
    "text",
    [
        *("2 3", "x2", "1/2x", "123_7", "n!!", "f'(x)", r"\foo", "(1", "1)", "x^", r"\frac1", ""),
        *("x^a^b", "+", "2*", r"\ln x/2", r"\ln 2\cdot 3", r"\sin 2(x)", r"\ln^{-1} x", "|x", "|"),
        *(r"\sum_{k=1} k", r"\sum k", "(" * 31 + "1" + ")" * 31, "1" * 1001, "x_", "x_{1"),
    ],
)
def test_what_could_be_misread_is_refused(text: str):
    with pytest.raises(Unparseable):
        parse(text)
