from random import Random

import pytest

from rlve.algorithms.stacks import StackMachine
from rlve.errors import Unparseable
from rlve.sampling.stacks import random_operations


@pytest.mark.parametrize(
    ("letters", "output"),
    [
        ("", []),
        ("aab", [1]),
        ("acbd", [0, 1]),
        ("acadbb", [1, 2, 0]),
        ("ad", None),
        ("aaaa", None),
    ],
)
def test_a_run(letters, output):
    assert StackMachine(3, "abcd").run(letters) == output


@pytest.mark.parametrize(
    ("text", "reward"),
    [("ac", -1.0), ("bc", -0.5)],  # after a letter that is impossible, that one's reward
)
def test_other_letters_are_unparseable(text, reward):
    with pytest.raises(Unparseable) as error:
        StackMachine(3, "ab").run(text)
    assert error.value.reward == reward


def test_random_operations_empty_the_queue():
    for seed in range(100):
        rng = Random(seed)
        machine = StackMachine(seed % 9, "abcd")
        operations = random_operations(rng, machine, [rng.randint(1, 5) for _ in range(4)])
        assert len(operations) == 2 * machine.size
        assert sorted(machine.output) == list(range(machine.size))
        assert StackMachine(machine.size, "abcd").run(operations) == machine.output
