"""A search through all that moves lead to, for brute forces."""


def ways(start, moves):
    """Each state that can be reached, the nearest ones first, with a shortest way to it.

    `moves` gives for a state pairs of a move and the state after it. A way is a list of moves.
    """
    found = {start: []}
    queue = [start]
    for state in queue:
        yield state, found[state]
        for move, after in moves(state):
            if after not in found:
                found[after] = [*found[state], move]
                queue.append(after)
