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
    add_row,
    add_to,
    binomial,
    bitwise,
    divide,
    modulo,
    multiply,
    multiply_all,
    power,
    prefix_sums,
    say,
    subtract,
    to_binary,
)
from rlve.work.fractions import add_fractions, fraction_mod, lowest_terms, multiply_fractions
from rlve.work.graphs import (
    Reached,
    breadth_first,
    dijkstra,
    flood,
    join_parts,
    kruskal,
    list_neighbours,
    path_back,
)
from rlve.work.lists import (
    add_cases,
    count_cases,
    extend_chains,
    find_best,
    find_largest,
    find_smallest,
    selection_sort,
    show_sum,
    split_powers,
    state,
)
from rlve.work.mental import is_easy
from rlve.work.residues import (
    count_by_gcd,
    euclid,
    inverse_mod,
    least_multiple,
    list_divisors,
    multiply_mod,
    power_mod,
    split_into_primes,
)
from rlve.work.searches import deduce, fill_grid, join_rows, ones_fault, search
from rlve.work.tables import least_missing, xor_all, xor_pairs
from rlve.work.trees import find_cover, find_longest_path, root_tree

__all__ = [
    "Reached",
    "Work",
    "add",
    "add_all",
    "add_cases",
    "add_fractions",
    "add_row",
    "add_to",
    "binomial",
    "bitwise",
    "breadth_first",
    "count_by_gcd",
    "count_cases",
    "deduce",
    "dijkstra",
    "divide",
    "euclid",
    "extend_chains",
    "fill_grid",
    "find_best",
    "find_cover",
    "find_largest",
    "find_longest_path",
    "find_smallest",
    "flood",
    "fraction_mod",
    "inverse_mod",
    "is_easy",
    "join_parts",
    "join_rows",
    "kruskal",
    "least_missing",
    "least_multiple",
    "list_divisors",
    "list_neighbours",
    "lowest_terms",
    "modulo",
    "multiply",
    "multiply_all",
    "multiply_fractions",
    "multiply_mod",
    "ones_fault",
    "path_back",
    "power",
    "power_mod",
    "prefix_sums",
    "root_tree",
    "say",
    "search",
    "selection_sort",
    "show_sum",
    "split_into_primes",
    "split_powers",
    "state",
    "subtract",
    "to_binary",
    "xor_all",
    "xor_pairs",
]
