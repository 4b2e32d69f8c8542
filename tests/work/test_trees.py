from itertools import combinations
from random import Random

import networkx
from tests.support.working import checked, run

from rlve.work import find_cover, find_longest_path, root_tree


def test_root_tree():
    lines, tree = run(root_tree([(1, 4), (0, 1), (3, 1), (0, 2)], 1))
    assert lines == ["Root 1. Children: 1 has 4 0 3; 0 has 2. Leaves: 4 3 2"]
    assert tree.parent == {4: 1, 0: 1, 3: 1, 2: 0}


def test_longest_path():
    rng = Random(1)
    for n in range(2, 12):
        tree = networkx.random_labeled_tree(n, seed=rng.randrange(1000))
        path = checked(find_longest_path(list(tree.edges), 0), *range(n))
        assert networkx.is_path(tree, path)
        assert len(path) - 1 == networkx.diameter(tree)
    lines, path = run(find_longest_path([(1, 2)], 0))
    assert (lines, path) == (["0 is alone"], [0])


def test_find_cover():
    rng = Random(2)
    for _ in range(60):
        costs = [rng.randint(1, 9) for _ in range(5)]
        needs = {f"need {i}": rng.sample(range(5), rng.randint(1, 3)) for i in range(4)}
        chosen = checked(find_cover(needs, dict(enumerate(costs))), *costs)
        enough = [
            sum(costs[option] for option in choice)
            for size in range(6)
            for choice in combinations(range(5), size)
            if all(set(options) & set(choice) for options in needs.values())
        ]
        assert all(set(options) & set(chosen) for options in needs.values())
        assert sum(costs[option] for option in chosen) == min(enough)
