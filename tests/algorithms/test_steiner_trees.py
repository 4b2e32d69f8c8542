import pytest

from rlve.algorithms.steiner_trees import lightest_steiner_tree


def test_a_graph_in_parts_has_no_tree():
    with pytest.raises(ValueError, match="not connected"):
        lightest_steiner_tree(4, [(0, 1, 1), (2, 3, 1)], [0, 2, 3])
