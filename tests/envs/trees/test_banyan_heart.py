from rlve.envs.trees.banyan_heart import BanyanHeart
from support.graphs import beside

# 5 - 1 - 3 - 2, with 4 on 1: the token ends on 1, or on 2 if 3 and 2 come last.
PROBLEM = BanyanHeart(N=5, edges=[(2, 3), (1, 5), (1, 3), (1, 4)], reference_answer="TTFFF")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["TTFFF"],
    (2 / 3) ** 5: ["TTTFF"],
    (1 / 2) ** 5: ["TFFFF"],
    (1 / 5) ** 5: ["TFTTT"],
    0.0: ["FFTTT", "FFFFF"],
    -1.0: ["TTFF", "TTFFFF", "ttfff", "TTF F", "TTFFX", ""],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_follows_from_all_orders(problem):
    ends = possible_ends(problem)
    gold = "".join("T" if v in ends else "F" for v in range(1, problem.N + 1))
    assert problem.reference_answer == gold
    assert "T" in gold


def possible_ends(problem):
    joined = beside(problem.edges)

    def step(start, target):
        """The neighbour of start from which the target is reached without coming back."""
        for first in joined[start]:
            seen, stack = {start}, [first]
            while stack:
                v = stack.pop()
                seen.add(v)
                stack += joined[v] - seen
            if target in seen:
                return first
        raise AssertionError

    states = {(frozenset([1]), 1)}
    for _ in range(problem.N - 1):
        states = {
            (present | {new}, step(heart, new))
            for present, heart in states
            for new in set().union(*(joined[v] for v in present)) - present
        }
    return {heart for _, heart in states}
