from random import Random

from rlve.envs.dialogues.sliding_tiles import SlidingTiles
from support.tables import told

PROBLEM = SlidingTiles(N=3, tiles=[1, 2, 3, 4, 0, 5, 7, 8, 6], solution=[5, 6])
SCHEDULE = {0: {"N": 3, "moves": 3}, 6: {"N": 4, "moves": 15}, 20: {"N": 6, "moves": 43}}
REPLIES = {
    "1 2 3\n4 5 0\n7 8 6": ["5", "6 / 5"],
    "1 2 3\n0 4 5\n7 8 6": ["4"],
    "1 2 3\n4 0 5\n7 8 6": ["2 / 2"],
    "Not allowed: ...": ["1", "0", "6", "9", "-5"],
    None: ["5 6", "left", ""],
    1.0: ["5 / 6", "1 / 5 / 6"],
    0.0: ["5 / 5 / 5", "1 / 1 / 1"],
}
SAMPLES = {100: {"difficulty": range(8)}}


def test_replies_follow_the_places_of_the_tiles(problem, seed):
    N, rng = problem.N, Random(seed)
    at = {tile: divmod(place, N) for place, tile in enumerate(problem.tiles)}
    assert sorted(at) == list(range(N * N))
    order = {tile: divmod((tile - 1) % (N * N), N) for tile in at}
    slid, expected = rng.choices(range(1, N * N), k=problem.turns - 1), []
    for tile in slid:
        (r, c), (i, j) = at[tile], at[0]
        near = abs(r - i) + abs(c - j) == 1
        if near:
            at[tile], at[0] = at[0], at[tile]
        found = {place: str(tile) for tile, place in at.items()}
        rows = (" ".join(found[r, c] for c in range(N)) for r in range(N))
        note = "" if near else "Not allowed: this tile is not next to the empty cell.\n"
        expected.append(1.0 if at == order else note + "\n".join(rows))
        if at == order:
            break
    assert told(problem, slid) == expected
