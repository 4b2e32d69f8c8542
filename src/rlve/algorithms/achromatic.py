"""Complete colourings: adjacent vertices differ, and every two colours meet at an edge.

The achromatic number of a graph is the largest number of colours in one.
"""

from math import isqrt

from rlve.algorithms.bits import set_bits
from rlve.algorithms.cliques import maximum_clique
from rlve.algorithms.graphs import Edge, neighbour_masks


def achromatic_colouring(n: int, edges: list[Edge]) -> list[int]:
    """The colours of all vertices in a right colouring with as many colours as possible.

    It is enough to find as many disjoint independent sets as possible, every two of them joined by
    an edge. Each vertex outside can be added to a set in which it has no neighbour; if there were
    none, the vertex would be another set.
    """
    near = neighbour_masks(n, edges)
    most = (1 + isqrt(1 + 8 * len(edges))) // 2  # this many sets have an edge for every two
    sets = next(found for k in range(most, 1, -1) if (found := _joined_sets(near, edges, k)))
    for v in range(n):
        if not any(members >> v & 1 for members in sets):
            home = next(i for i, members in enumerate(sets) if not members & near[v])
            sets[home] |= 1 << v
    return [next(i for i, members in enumerate(sets) if members >> v & 1) for v in range(n)]


def _joined_sets(near: list[int], edges: list[Edge], k: int) -> list[int]:
    """k disjoint independent sets (as bits) every two of which are joined; [] if there are none.

    As few vertices as possible suffice. So every vertex of a set is needed to join it to another,
    and the only single vertices are joined to each other and to at least k - 1 vertices in all.
    """
    alone = [v for v, mask in enumerate(near) if mask.bit_count() >= k - 1]
    clique = maximum_clique(len(near), [(u, v) for u, v in edges if u in alone and v in alone])
    singles = min(k, len(clique), len(alone))
    spare = sum(map(bool, near)) - singles - 2 * (k - singles)
    largest = min(k - 1, 2 + spare)
    if spare < 0:
        return []
    found = _JoinedSets(near, k, min(2, largest)).search()
    if found or largest <= 2:
        return found
    # Sets of more than three are many, and seldom needed.
    found = _JoinedSets(near, k, 3, needs=3).search()
    if found or largest == 3:
        return found
    if not _JoinedSets(near, k, largest, needs=4, drops_large=True).search():  # as is usual
        return []
    return _JoinedSets(near, k, largest, needs=4).search()


class _JoinedSets:
    """The search for k disjoint independent sets of limited size, every two of them joined.

    The candidate sets are numbered, and sets of them are the bits of an integer. If one of the sets
    needs to have so many vertices, as there are no k smaller ones, fewer vertices can be left out.
    To drop sets that are too large to be chosen shows sooner that there are none, but if there are,
    others are found.
    """

    def __init__(
        self, near: list[int], k: int, size: int, *, needs: int = 0, drops_large: bool = False
    ) -> None:
        self.near = near
        self.degree = [mask.bit_count() for mask in near]
        self.k = k
        self.size = size
        self.needs = needs
        self.drops_large = drops_large
        self.members: list[int] = []
        self.vertices: list[list[int]] = []  # the same as lists
        self.around: list[int] = []  # the neighbours of the members
        self.holding = [0] * len(near)  # the sets that contain each vertex
        of_size = [0] * (size + 1)
        for i, (members, around) in enumerate(self.candidates(size)):
            of_size[members.bit_count()] |= 1 << i
            self.members.append(members)
            self.vertices.append(list(set_bits(members)))
            self.around.append(around)
            for v in self.vertices[i]:
                self.holding[v] |= 1 << i
        self.singles, self.pairs, self.triples = [*of_size[1:], 0, 0][:3]
        self.needed = sum(of_size[needs:])
        self.up_to = [sum(of_size[: most + 1]) for most in range(size + 1)]  # so many vertices
        self.number = {members: i for i, members in enumerate(self.members)}
        self.partners: dict[int, int] = {}
        self.spread: dict[int, int] = {}  # neighbours with a byte for each vertex instead of a bit

    def candidates(self, size: int) -> list[tuple[int, int]]:
        """Independent sets that can be joined to k - 1 others, and their neighbours, by size.

        Their degrees must leave k - 1 edges for each of the other sets.
        """
        limit = sum(self.degree) - (self.k - 1) ** 2
        found: list[tuple[int, int]] = []
        layer = [(0, 0, 0, sum(1 << v for v, mask in enumerate(self.near) if mask))]
        for _ in range(size):
            larger: list[tuple[int, int, int, int]] = []
            for members, around, degrees, further in layer:
                for v in set_bits(further):
                    further ^= 1 << v
                    total = degrees + self.degree[v]
                    if total <= limit:
                        left = further & ~self.near[v]
                        larger.append((members | 1 << v, around | self.near[v], total, left))
            layer = larger
            found += [
                (members, around)
                for members, around, _, _ in layer
                if around.bit_count() >= self.k - 1
            ]
        return found

    def compatible(self, i: int) -> int:
        """The sets that are disjoint from a set and joined to it."""
        if i not in self.partners:
            joined = meeting = 0
            for v in set_bits(self.around[i]):
                joined |= self.holding[v]
            for v in set_bits(self.members[i]):
                meeting |= self.holding[v]
            self.partners[i] = joined & ~meeting
        return self.partners[i]

    def search(self) -> list[int]:
        everything = (1 << len(self.members)) - 1
        lacking = bool(self.needs)
        found = self.complete(everything, list(range(len(self.near))), self.k, [], lacking=lacking)
        return [self.members[i] for i in found or ()]

    def complete(
        self,
        possible: int,
        vertices: list[int],
        missing: int,
        chosen: list[int],
        *,
        lacking: bool,
    ) -> list[int] | None:
        """This many further sets, from those possible, that are pairwise compatible.

        All members of the possible sets are among the vertices. Of the sets chosen so far, the
        neighbours are given, and whether one as large as needed is lacking.
        """
        if lacking and not possible & self.needed:
            return None
        if not missing:
            return []
        if singles := possible & self.singles:
            if self.shares(possible) + 6 * self.mutual(singles) < 12 * missing:
                return None
            last = singles.bit_length() - 1
            with_it = self.choose(possible, vertices, missing, chosen, last, lacking=lacking)
            if with_it is not None:
                return with_it
            possible ^= 1 << last
            return self.complete(possible, vertices, missing, chosen, lacking=lacking)
        near, holding = self.near, self.holding
        pairs, triples = self.pairs, self.triples
        while True:
            live, spare = 0, 6 * len(vertices) - 12 * missing
            alive: list[tuple[int, int]] = []  # with how many sets contain each vertex
            for v in vertices:
                if here := holding[v] & possible:
                    alive.append((here.bit_count(), v))
                    live |= 1 << v
                if not here & pairs:
                    spare -= 6 if not here else 2 if here & triples else 3
                    if spare < 0:
                        return None
            # Each set needs a vertex beside every other one, and no vertex serves two sets.
            scarce: list[
                tuple[int, int]
            ] = []  # such vertices, and how many of them one set can have
            for around in chosen:
                beside = around & live
                most = beside.bit_count() - (missing - 1)
                if most < 1:
                    return None
                if most < self.size:
                    scarce.append((beside, most))
            # The others need two vertices each.
            most = len(alive) - 2 * (missing - 1)
            if lacking and (most < self.needs or not possible & self.needed):
                return None
            small = self.up_to[min(most, self.size)]
            vertices = [v for _, v in sorted(alive)]  # first those that soon have no set
            if self.drops_large and possible & ~small:
                possible &= small
                continue
            inner = {v: (near[v] & live).bit_count() for v in vertices}
            spare = sum(inner.values()) - missing * (missing - 1)
            if spare < 0:
                return None
            most_inner = missing - 1 + spare // 2  # or too few edges are left for the others
            # To how many chosen sets each vertex is joined: a byte for each.
            outer = sum([self.spread[around] for around in chosen]).to_bytes(len(near), "little")
            both = {v: (inner[v] + outer[v]) << 16 | inner[v] for v in vertices}
            most_links = (sum(both.values()) >> 16) - (missing - 1) * (self.k - 1)
            options = holding[vertices[0]] & possible
            for i in set_bits(options & small):
                total = sum([both[v] for v in self.vertices[i]])
                if not self.k - 1 <= total >> 16 <= most_links or total & 0xFFFF > most_inner:
                    continue
                members = self.members[i]
                if any((beside & members).bit_count() > most for beside, most in scarce):
                    continue
                if self.is_worth(i, possible, live, missing - 1):
                    found = self.choose(possible, vertices, missing, chosen, i, lacking=lacking)
                    if found is not None:
                        return found
            possible &= ~options

    def choose(
        self,
        possible: int,
        vertices: list[int],
        missing: int,
        chosen: list[int],
        i: int,
        *,
        lacking: bool,
    ) -> list[int] | None:
        """This many pairwise compatible sets, from those possible, including set i."""
        around = self.around[i]
        if around not in self.spread:
            self.spread[around] = sum(1 << 8 * v for v in set_bits(around))
        others = possible & self.compatible(i)
        lacking = lacking and not self.needed >> i & 1
        found = self.complete(others, vertices, missing - 1, [*chosen, around], lacking=lacking)
        return None if found is None else [i, *found]

    def shares(self, possible: int) -> int:
        """Twelve times a bound on the number of disjoint sets, not counting singles.

        Each vertex has a share in at most one set: a half, or less if only larger sets contain it.
        """
        small = self.singles | self.pairs
        return sum(
            6 if here & small else 4 if here & self.triples else 3
            for holding in self.holding
            if (here := holding & possible)
        )

    def mutual(self, sets: int) -> int:
        """A bound on the number of pairwise compatible sets: at most one per incompatible group."""
        groups = 0
        while sets:
            groups += 1
            free = sets
            while free:
                i = free.bit_length() - 1
                sets ^= 1 << i
                free &= ~self.compatible(i) & ~(1 << i)
        return groups

    def is_worth(self, i: int, possible: int, live: int, others: int) -> bool:
        """Whether this many others, of two or more vertices each, can go with set i.

        Nor is a set worth it if one vertex fewer is as good for all of them.
        """
        members = self.members[i]
        if (self.around[i] & live).bit_count() < others:
            return False
        if members.bit_count() > 2:
            rest = possible & self.compatible(i)
            for v in set_bits(members):
                smaller = self.number.get(members ^ 1 << v)
                if smaller is None or not possible >> smaller & 1:
                    continue
                if not rest & ~self.compatible(smaller):
                    return False
        return True
