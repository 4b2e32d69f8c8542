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
    add_mod,
    binary,
    bitwise,
    divide,
    gcd,
    inverse_mod,
    lcm,
    multiply,
    multiply_mod,
    power_mod,
    prefix_sums,
    product,
    remainder,
    subtract,
    total,
)
from rlve.work.easy import is_easy
from rlve.work.graphs import (
    Reached,
    breadth_first,
    depth_first,
    path_back,
    shortest_paths,
    spanning_tree,
)
from rlve.work.lists import count, largest, search, selection_sort, smallest, state

__all__ = [
    "Reached",
    "Work",
    "add",
    "add_mod",
    "binary",
    "bitwise",
    "breadth_first",
    "count",
    "depth_first",
    "divide",
    "gcd",
    "inverse_mod",
    "is_easy",
    "largest",
    "lcm",
    "multiply",
    "multiply_mod",
    "path_back",
    "power_mod",
    "prefix_sums",
    "product",
    "remainder",
    "search",
    "selection_sort",
    "shortest_paths",
    "smallest",
    "spanning_tree",
    "state",
    "subtract",
    "total",
]
