from random import Random
from typing import Self

import rlve
from rlve.answers import integers
from rlve.text import quantity


def misses(set_num: int, ways: int, block_size: int, addresses: list[int]) -> tuple[list[int], int]:
    """The numbers, from 1, of the accesses that miss, and how many of them are to blocks that were there before."""
    sets: list[list[int]] = [[] for _ in range(set_num)]
    known = set()
    missed = []
    again = 0
    for number, address in enumerate(addresses, 1):
        block = address // block_size
        content = sets[block % set_num]  # the longest unused block is first
        if block in content:
            content.remove(block)
        else:
            missed.append(number)
            again += block in known
            known.add(block)
            if len(content) == ways:
                content.pop(0)
        content.append(block)
    return missed, again


class CacheMisses(rlve.Environment[list[int]]):
    """Find which accesses to a set-associative cache with least-recently-used replacement miss."""

    set_num: int
    ways: int
    block_size: int
    addresses: list[int]
    reference_answer: str

    template = """
        A cache has {set_num} sets, numbered from 0 to {last}. Each set has room for {way_text}, and all sets are empty at first. Memory addresses are integers that are at least 0. The address a belongs to the block whose number is a divided by {block_size}, rounded down. The block with number b belongs to the set with number b modulo {set_num}.

        The accesses are numbered from 1 and made one after the other. An access to an address is a hit if the block of this address is in its set at that moment. Otherwise it is a miss, and the block is brought into its set; if the set is full, then one block of this set is removed before that: the one whose last access (hit or miss) is the longest ago.

        These are the addresses of the {access_num} accesses, in order:

        {accesses}

        Which of the accesses are misses?

        Output format: the numbers of the accesses that miss, in increasing order, as integers separated by single spaces. The first access has the number 1 (and is always a miss).
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "access_num": 10 + 2 * d,
                "set_num": 2 if d < 6 else 3 if d < 12 else 4 if d < 17 else 5,
                "min_ways": 1 if d < 3 else 2,
                "max_ways": 2 if d < 8 else 3 if d < 14 else 4,
                "min_block": 1 if d < 4 else 2,
                "max_block": 1 if d < 4 else 10,
                "min_again": 1 if d < 6 else 2,
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        access_num: int,
        set_num: int,
        min_ways: int,
        max_ways: int,
        min_block: int,
        max_block: int,
        min_again: int,
    ) -> Self:
        for _ in range(300):
            ways = rng.randint(min_ways, max_ways)
            block_size = rng.randint(min_block, max_block)
            pool = []
            for s in range(set_num):
                numbers = range(s, 100, set_num)
                pool += rng.sample(numbers, ways + 1 + (ways > 1 and rng.random() < 0.4))
            recent: list[int] = []
            addresses = []
            for _ in range(access_num):
                block = rng.choice(recent if recent and rng.random() < 0.45 else pool)
                if block in recent:
                    recent.remove(block)
                recent.append(block)
                recent = recent[-(2 * ways + 2) :]
                addresses.append(block * block_size + rng.randrange(block_size))
            missed, again = misses(set_num, ways, block_size, addresses)
            hits = access_num - len(missed)
            if hits < 2 or again < min_again or 5 * hits < access_num or 5 * len(missed) < access_num:
                continue
            break
        else:  # one block more than a set can hold, in turn, each accessed twice: a miss and a hit
            turn = rng.sample(range(rng.randrange(set_num), 100, set_num), ways + 1)
            blocks = [turn[i // 2 % len(turn)] for i in range(access_num)]
            addresses = [block * block_size + rng.randrange(block_size) for block in blocks]
            missed, _ = misses(set_num, ways, block_size, addresses)
        return cls(
            set_num=set_num,
            ways=ways,
            block_size=block_size,
            addresses=addresses,
            reference_answer=" ".join(map(str, missed)),
        )

    def prompt(self) -> str:
        return self.fill(
            last=str(self.set_num - 1),
            way_text=quantity(self.ways, "block"),
            access_num=str(len(self.addresses)),
            accesses=" ".join(map(str, self.addresses)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        missed, _ = misses(self.set_num, self.ways, self.block_size, self.addresses)
        return 1.0 if list(answer) == missed else 0.0
