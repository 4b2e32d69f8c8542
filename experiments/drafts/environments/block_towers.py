from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

COLOURS = (
    "red blue green yellow black white orange purple brown pink grey silver "
    "gold turquoise violet beige crimson ivory lime maroon navy olive teal cyan"
).split()


def find(towers: list[list[str]], colour: str) -> int:
    """The index of the tower with this block."""
    return next(i for i, tower in enumerate(towers) if colour in tower)


def whole(rng: Random, towers: list[list[str]], turn: bool) -> tuple[str, list[list[str]]]:
    """An instruction about whole towers, and its result."""
    result = [list(tower) for tower in towers]
    p, q = rng.sample(range(len(towers)), 2)
    if turn:
        result[p].reverse()
        return f"turn the tower on place {p + 1} upside down", result
    result[p], result[q] = result[q], result[p]
    return f"exchange the whole towers on places {p + 1} and {q + 1}", result


def instruction(rng: Random, towers: list[list[str]], kind: int) -> tuple[str, list[list[str]]] | None:
    """A random instruction of this kind and its result; None if what was drawn is not possible."""
    result = [list(tower) for tower in towers]
    blocks = [colour for tower in towers for colour in tower]
    p, q = rng.sample(range(len(towers)), 2)
    c, d = rng.sample(blocks, 2)
    home = find(towers, c)
    height = towers[home].index(c)
    if kind == 1:
        if not towers[p]:
            return None
        result[q].append(result[p].pop())
        return f"Move the top block of place {p + 1} to place {q + 1}.", result
    if kind in (2, 3):
        if q == home:
            return None
        if kind == 2:
            result[q] += towers[home][height:]
            result[home] = towers[home][:height]
            return f"Move the {c} block together with all blocks above it to place {q + 1}.", result
        result[home].remove(c)
        result[q].append(c)
        return f"Move only the {c} block to place {q + 1}.", result
    if kind in (4, 5):
        text, result = whole(rng, towers, kind == 4)
        return text[0].upper() + text[1:] + ".", result
    if kind == 6:
        other = find(towers, d)
        depth = towers[other].index(d)
        result[home][height] = d
        result[other][depth] = c
        return f"Exchange the {c} block and the {d} block.", result
    if kind == 7:
        result[home].append(result[home].pop(0))
        text = f"Take the lowest block of the tower that contains the {c} block and put it on top of that same tower."
        return text, result
    yes, yes_result = whole(rng, towers, rng.random() < 0.5)
    no, no_result = whole(rng, towers, rng.random() < 0.5)
    more = height > towers[find(towers, d)].index(d)
    text = f"If the {c} block has more blocks below it than the {d} block, {yes}; otherwise {no}."
    return text, yes_result if more else no_result


def drawn(
    rng: Random, present: list[list[str]], kind_num: int, forbidden: list[list[str]]
) -> tuple[str, list[list[str]]]:
    """A random instruction that is possible, and its result, which is not the forbidden one."""
    for _ in range(200):
        kind = rng.randint(1, kind_num)
        found = instruction(rng, present, kind)
        if found is None or (kind != 8 and found[1] == present) or found[1] == forbidden:
            continue
        return found
    p = max(range(len(present)), key=lambda i: len(present[i]))
    moves = []  # at least two, with different results
    for q in range(len(present)):
        result = [list(tower) for tower in present]
        result[q].append(result[p].pop())
        if q != p and result != forbidden:
            moves.append((f"Move the top block of place {p + 1} to place {q + 1}.", result))
    return rng.choice(moves)


def written(towers: list[list[str]]) -> str:
    return " | ".join(" ".join(tower) if tower else "-" for tower in towers)


class BlockTowers(rlve.Environment[list[list[str]]]):
    """Follow instructions that rearrange towers of coloured blocks."""

    max_difficulty = 41  # then the colours are used up

    towers: list[list[str]]  # each from bottom to top
    instructions: list[str]
    reference_answer: str

    template = """
        There are {place_num} places in a row, numbered from 1 to {place_num}. On each place stands a tower of coloured blocks, or nothing. At the beginning there are, from bottom to top:

        {places}

        The following instructions are carried out one after the other. Each refers to the situation at that moment. A block that is moved to a place is put on top of the tower there, or on the ground if the place is empty. Several blocks that are moved together keep their order. When "only" one block is moved, the blocks above it stay in its old tower and sink down by one. When two blocks are exchanged, each takes exactly the position of the other. A tower that is turned upside down stays on its place, and the order of its blocks is reversed (with fewer than two blocks nothing changes). The number of blocks below a block counts all blocks under it in its tower.

        {steps}

        What stands where at the end?

        Output format: one line with the places 1 to {place_num} in order, separated by " | "; for each place the colours of its blocks from bottom to top, separated by single spaces, or "-" if the place is empty. For example, with three places: red blue | - | green
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "block_num": 4 + d // 2,
                "place_num": 3 + d // 7,
                "instruction_num": 2 + d,
                "kind_num": 5 if d < 4 else 8,
            }
        ]

    @classmethod
    def sample(cls, rng: Random, block_num: int, place_num: int, instruction_num: int, kind_num: int) -> Self:
        towers: list[list[str]] = [[] for _ in range(place_num)]
        for colour in rng.sample(COLOURS, block_num):
            rng.choice(towers).append(colour)
        present = towers
        instructions: list[str] = []
        for number in range(1, instruction_num + 1):
            forbidden = towers if number == instruction_num else []  # the last one must not restore the beginning
            text, present = drawn(rng, present, kind_num, forbidden)
            instructions.append(text)
        return cls(towers=towers, instructions=instructions, reference_answer=written(present))

    def prompt(self) -> str:
        return self.fill(
            place_num=str(len(self.towers)),
            places="\n".join(
                f"place {i}: {' '.join(tower) if tower else '-'}" for i, tower in enumerate(self.towers, 1)
            ),
            steps="\n".join(f"{i}. {text}" for i, text in enumerate(self.instructions, 1)),
        )

    def parse(self, text: str) -> list[list[str]]:
        colours = {colour for tower in self.towers for colour in tower}
        parts = [part.lower().split() for part in " ".join(text_lines(text)).split("|")]
        if len(parts) != len(self.towers):
            raise rlve.Unparseable("the number of places is wrong")
        result = []
        for part in parts:
            if part == ["-"]:
                result.append([])
            elif part and all(colour in colours for colour in part):
                result.append(part)
            else:
                raise rlve.Unparseable("a place is neither '-' nor a list of colours")
        return result

    def score(self, answer: list[list[str]]) -> float:
        return 1.0 if written(answer) == self.reference_answer else 0.0
