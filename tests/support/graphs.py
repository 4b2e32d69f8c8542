"""Graphs by their definitions, for brute forces: nothing of it is shared with what is tested."""

from itertools import product


def beside(edges):
    """The vertices that edges, with or without weights, join to each vertex."""
    joined = {v: set() for edge in edges for v in edge[:2]}
    for u, v, *_ in edges:
        joined[u].add(v)
        joined[v].add(u)
    return joined


def spans(edges, count):
    """Whether the edges connect as many vertices."""
    reached = set(edges[0][:2])
    for _ in edges:
        reached |= {x for edge in edges if reached & set(edge[:2]) for x in edge[:2]}
    return len(reached) == count


def distances(vertices, edges):
    """Between all pairs of vertices, by the method of Floyd and Warshall."""
    far = {(u, v): 0 if u == v else 10**9 for u, v in product(vertices, repeat=2)}
    for u, v, *weight in edges:
        far[u, v] = far[v, u] = min([far[u, v], *(weight or [1])])
    for m, u, v in product(vertices, repeat=3):
        far[u, v] = min(far[u, v], far[u, m] + far[m, v])
    return far


def paths(joined):
    """The simple paths as lists of vertices, each in one direction, of one vertex or more."""
    rest = [[v] for v in joined]
    for path in rest:
        if path[0] <= path[-1]:
            yield path
        rest += [[*path, v] for v in joined[path[-1]] - set(path)]


def colourings(count, edges, colours=()):
    """Those in which no edge joins two of a colour, as lists of numbers, up to renaming."""
    v = len(colours)
    if v == count:
        yield colours
        return
    taken = {colours[min(edge)] for edge in edges if max(edge) == v}
    for colour in range(len(set(colours)) + 1):
        if colour not in taken:
            yield from colourings(count, edges, (*colours, colour))
