from functools import reduce
from operator import xor
from random import Random

from tests.support.working import checked, run

from rlve.work import least_missing, xor_all, xor_pairs


def test_xor_of_many_numbers():
    rng = Random(1)
    for _ in range(50):
        values = [rng.randrange(2 ** rng.randint(1, 8)) for _ in range(rng.randint(0, 7))]
        assert checked(xor_all(values), *values) == reduce(xor, values, 0)
    assert run(xor_all([3, 5, 2])) == (["3 XOR 5 = 6, 6 XOR 2 = 4"], 4)
    pairs = [(1, 2), (40, 3), (1, 2)]
    assert checked(xor_pairs(pairs), 1, 2, 40, 3) == [3, 43, 3]


def test_the_value_of_a_position():
    assert run(least_missing("Heap 3", [1, 0, 3, 1])) == (
        ["Heap 3: leads to 0 1 3, least missing 2"],
        2,
    )
    assert run(least_missing("Heap 0", [])) == (["Heap 0: no move, 0"], 0)
