"""Ways to write down how a problem is solved, which the worked solutions of environments share.

    def work(self) -> Work[str]:
        product = yield from multiply(self.a, self.b)
        return str(product)

Each one yields its lines and returns what they derive. There are few patterns, with one wording,
so that what is learnt in one environment serves in another.
"""

from rlve.contract import Work
from rlve.work.arithmetic import (
    add,
    add_all,
    add_mod,
    bitwise,
    divide,
    euclid,
    inverse_mod,
    least_multiple,
    modulo,
    multiply,
    multiply_all,
    multiply_mod,
    power_mod,
    prefix_sums,
    subtract,
    to_binary,
)
from rlve.work.easy import is_easy
from rlve.work.graphs import Reached, breadth_first, depth_first, dijkstra, kruskal, path_back
from rlve.work.lists import (
    count_cases,
    find_largest,
    find_smallest,
    selection_sort,
    state,
)
from rlve.work.searches import deduce, fill_grid, join_rows, ones_fault, search
from rlve.work.tables import least_missing, xor_all, xor_pairs

__all__ = [
    "Reached",
    "Work",
    "add",
    "add_all",
    "add_mod",
    "bitwise",
    "breadth_first",
    "count_cases",
    "deduce",
    "depth_first",
    "dijkstra",
    "divide",
    "euclid",
    "fill_grid",
    "find_largest",
    "find_smallest",
    "inverse_mod",
    "is_easy",
    "join_rows",
    "kruskal",
    "least_missing",
    "least_multiple",
    "modulo",
    "multiply",
    "multiply_all",
    "multiply_mod",
    "ones_fault",
    "path_back",
    "power_mod",
    "prefix_sums",
    "search",
    "selection_sort",
    "state",
    "subtract",
    "to_binary",
    "xor_all",
    "xor_pairs",
]
