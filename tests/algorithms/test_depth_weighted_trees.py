import pytest

from rlve.algorithms.depth_weighted_trees import cheapest_depth_weighted_tree


def test_a_graph_in_parts_has_no_tree():
    with pytest.raises(ValueError, match="not connected"):
        cheapest_depth_weighted_tree(4, [(0, 1, 1), (2, 3, 1)])
