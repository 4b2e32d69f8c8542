from fractions import Fraction
from itertools import combinations, pairwise

from rlve.envs.geometry.las_laser import LASLaser, best_totals

PROBLEM = LASLaser(
    N=3, segments=[(1, 1, 2, 1), (1, 2, 1, 3), (3, 3, 2, 4)], K=2, reference_answer=3
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 20: {"N": 22}}
REWARDS = {1.0: ["3"], 0.0: ["2", "-3", "9" * 1000], -1.0: ["3.0", ""]}
SAMPLES = {120: {"N": range(2, 6)}}


def test_rays_may_pass_between_the_ends():
    # Slopes: five points at 1 and at 4, [1, 2], [3, 4] and five times [3/2, 7/2].
    segments = [(1, 1, 1, 1)] * 5 + [(1, 4, 1, 4)] * 5
    segments += [(1, 1, 1, 2), (1, 3, 1, 4)] + [(2, 3, 2, 7)] * 5
    assert best_totals(segments)[2] == 17


def test_gold_is_the_largest_over_all_sets_of_rays(problem):
    totals = [largest(problem.segments, rays) for rays in range(problem.N + 1)]
    assert problem.reference_answer == totals[problem.K]
    assert totals[problem.K] > totals[problem.K - 1]  # no ray is idle


def largest(segments, rays):
    ends = sorted({Fraction(y, x) for a, b, c, d in segments for x, y in ((a, b), (c, d))})
    directions = ends + [(low + high) / 2 for low, high in pairwise(ends)]
    spans = [sorted((Fraction(b, a), Fraction(d, c))) for a, b, c, d in segments]
    met = [{i for i, (low, high) in enumerate(spans) if low <= s <= high} for s in directions]
    best = 0
    for count in range(rays + 1):
        for chosen in combinations(met, count):
            union = set().union(*chosen)
            if len(union) == sum(map(len, chosen)):
                best = max(best, len(union))
    return best
