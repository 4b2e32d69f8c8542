from random import Random

from rlve.envs.optimization.land_acquisition import (
    LandAcquisition,
    is_hard,
    random_item_of_small_product,
)

PROBLEM = LandAcquisition(N=4, W=[1, 2, 10, 1], L=[10, 3, 1, 9], gold_answer=26)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["1 4\n2\n3", "3\n\n4 1\n2"],
    (26 / 30) ** 5: ["1 2 4\n3"],
    (26 / 35) ** 5: ["1\n2\n3\n4"],
    (26 / 100) ** 5: ["1 2 3 4"],
    -0.5: ["1 4\n2", "1 4\n2\n3 3", "1 4\n2\n2", "1 4\n2\n5", "0 1\n2\n3", ""],
    -1.0: ["1 4\n2\n3;"],
}
SAMPLES = {100: {"N": range(4, 7)}}


def test_gold_is_the_cheapest_of_all_partitions_and_no_easy_one(problem):
    items = list(zip(problem.W, problem.L, strict=True))
    assert problem.gold_answer == min(map(total, partitions(items)))
    items.sort()
    cuts = range(1, problem.N)
    easy = [[items], [[item] for item in items], *([items[:i], items[i:]] for i in cuts)]
    assert problem.gold_answer < min(map(total, easy))


def test_small_products_are_hard():
    rng = Random(1)
    lists = [[random_item_of_small_product(rng, 100**2) for _ in range(100)] for _ in range(5)]
    assert all(min(item) >= 1 and item[0] * item[1] <= 100**2 for items in lists for item in items)
    assert all(is_hard(items) for items in lists)


def total(groups):
    return sum(max(w for w, _ in group) * max(x for _, x in group) for group in groups)


def partitions(items):
    if not items:
        yield []
        return
    first, *rest = items
    for groups in partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]
