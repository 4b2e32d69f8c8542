"""No module imports itself by way of others, not even inside a function."""

import grimp
import pytest


@pytest.fixture(scope="module")
def imports():
    graph = grimp.build_graph("rlve", exclude_type_checking_imports=True, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def in_cycles(imports):
    """The modules on a cycle, or between two: what is left without those that nothing imports."""
    left = dict(imports)
    while True:
        used = set().union(*left.values()) if left else set()
        ends = [name for name in left if name not in used or not (left[name] & left.keys())]
        if not ends:
            return left.keys()
        for name in ends:
            del left[name]


def test_there_is_no_cycle(imports):
    assert len(imports) > 700
    assert not in_cycles(imports)


def test_a_cycle_would_be_found():
    assert in_cycles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}) == {"a", "b", "c"}


def test_imports_inside_functions_count(imports):
    assert "rlve.targets" in imports["rlve.pool.worker"]
