"""Euclid's algorithm and arithmetic modulo an integer."""


def extended_gcd(a: int, b: int) -> tuple[int, int, int]:
    """(g, u, v) with g = gcd(a, b) = a*u + b*v and g >= 0, for integers of any sign."""
    r, s = a, b
    u, next_u = 1, 0
    v, next_v = 0, 1
    while s:
        q = r // s
        r, s = s, r - q * s
        u, next_u = next_u, u - q * next_u
        v, next_v = next_v, v - q * next_v
    return (r, u, v) if r >= 0 else (-r, -u, -v)
