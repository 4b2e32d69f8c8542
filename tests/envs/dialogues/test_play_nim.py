import re
from functools import cache
from random import Random

from rlve.envs.dialogues.play_nim import PlayNim
from support.tables import told

PROBLEM = PlayNim(heaps=[3, 1])
SCHEDULE = {0: {"N": 2, "most": 4}, 2: {"N": 3, "most": 6}, 20: {"N": 9, "most": 24}}
REPLIES = {
    "I take 1 from heap 1. The heaps are now: 0 1": ["1 2"],
    "I take 1 from heap 1. The heaps are now: 1 1": ["1 1"],
    "Not allowed: ...": ["1 4", "1 0", "3 1", "0 1", "1 -1"],
    None: ["1", "1 1 1", "all", ""],
    1.0: ["1 2 / 2 1"],
    0.0: ["1 3", "2 1", "1 1 / 1 1", "1 0 / 1 2"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_what_can_be_won_is_won(problem, seed):
    assert wins(tuple(sorted(problem.heaps)))
    rng, heaps, moves = Random(seed), list(problem.heaps), []
    while any(heaps) and len(moves) < problem.turns - 1:
        heap = rng.choice([i for i, size in enumerate(heaps) if size])
        count = rng.randint(1, heaps[heap])
        heaps[heap] -= count
        moves.append(f"{heap + 1} {count}")
        said = told(problem, moves)[-1]
        if not any(heaps) or not isinstance(said, str):
            assert said == float(not any(heaps))
            break
        mine, taken = map(int, re.search(r"I take (\d+) from heap (\d+)", said).group(2, 1))
        could = wins(tuple(sorted(heaps)))
        assert 1 <= taken <= heaps[mine - 1]
        heaps[mine - 1] -= taken
        assert said.endswith(f"now: {' '.join(map(str, heaps))}")
        assert not (could and wins(tuple(sorted(heaps))))


@cache
def wins(heaps):
    """Whether the player to move takes the last stone, by search of all moves."""
    return any(
        not wins(tuple(sorted((*heaps[:i], left, *heaps[i + 1 :]))))
        for i, size in enumerate(heaps)
        for left in range(size)
    )
