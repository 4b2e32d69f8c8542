import pytest

from rlve.rules.claims import TooLarge, claims, tokenize


def stated(line):
    return [
        (claim.left.value, claim.relation, claim.right.value) for claim in claims(tokenize(line))
    ]


@pytest.mark.parametrize(
    "line",
    [
        "so 3 + 4 * 2 = 11, and (3 + 4) * 2 = 14",
        "3 * 7 <= 23 < 4 * 7",
        "-3 + 5 = 2, 1 * -3 = -3, 3 - 5 = -2",
        "17 // 5 = 3, 17 mod 5 = 2, 2^3^2 = 512",
        "3/4 + 1/4 = 1, 0.5 + 0.25 = 3/4",
        "|3 - 5| = 2, 5! = 120, C(5, 2) = 10",
        "gcd(12, 18) = 6, lcm(4, 6) = 12, min(3, 1, 2) = 1, max(3, 9) = 9, abs(-4) = 4",
        "5 XOR 3 = 6, 5 AND 3 = 1, 5 OR 3 = 7, 1 + 4 XOR 3 = 6",
        "7^1000000007 mod 13 = 2",
        "Row 2 (3 + 4 = 7), d[4] = 3 + 2 = 5.",
        "5 != 3 >= 2 > 1",
    ],
)
def test_true_claims(line):
    found = list(claims(tokenize(line)))
    assert found
    assert all(claim.holds for claim in found)


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("7 + 5 = 13", (12, "=", 13)),
        ("row 3: 2 * 6 = 13", (12, "=", 13)),
        ("so 8 mod 3 = 1", (2, "=", 1)),
        ("then 5 > 7, so stop", (5, ">", 7)),
    ],
)
def test_false_claims(line, claim):
    assert stated(line) == [claim]
    assert not next(claims(tokenize(line))).holds


@pytest.mark.parametrize(
    "line",
    [
        "x = 5, A[3] = 7, f(3) = 7, dp(1, 2) = 9",
        "x + 3 = 9, 9 = 3 + x, 2x = 10, 2 * x = 4, A[3] + 4 = 9",
        "1-2 (7), 0 -> 3 => 4, the edge (1, 2) < (1, 3)",
        "1 / 0 = 5, = 4, 3 + = 5",
    ],
)
def test_what_cannot_be_evaluated_claims_nothing(line):
    assert stated(line) == []


def test_questions():
    claim = next(claims(tokenize("Is 7 < 5? No, it is not")))
    assert (claim.asked, claim.reply, claim.holds) == (True, "no", False)


@pytest.mark.parametrize("line", ["9^9^9 = 1", "3^99999 = 4", "99999! = 1", f"{'9' * 6000} = 1"])
def test_claims_that_are_too_large(line):
    with pytest.raises(TooLarge):
        stated(line)
