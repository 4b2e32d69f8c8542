from rlve.envs.simulation.block_image import CUBE, BlockImage

CUBE_TEXT = "\n".join(CUBE)
PROBLEM = BlockImage(MAX_M_N=2, M=1, N=1, grid=[[1]], reference_answer=CUBE_TEXT)
SCHEDULE = {0: {"MAX_M_N": 2}, 1: {"MAX_M_N": 3}, 20: {"MAX_M_N": 22}}
REWARDS = {
    1.0: [
        CUBE_TEXT,
        "\n" + CUBE_TEXT.replace("\n", "  \n\n  ") + "\n",  # blanks around lines do no harm
    ],
    (41 / 42) ** 2: [CUBE_TEXT.replace("/.", "/|")],
    (33 / 42) ** 2: [CUBE_TEXT.replace("   ", "...")],
    (6 / 42) ** 2: ["\n".join(["......."] * 6)],
    0.0: [
        "\n".join(CUBE[1:]),  # too few lines
        "\n".join(row + "." for row in CUBE),  # too long lines
        ".",
    ],
    -0.5: [
        CUBE_TEXT.replace("-", "_"),
        "a\nbb",  # a wrong character comes before a wrong length
    ],
    -1.0: [
        ".\nbb",  # in a line, the length is looked at first
        ".\n..",
        "\n".join([*CUBE[:5], "+---+"]),
        "",
        " \n \n",
    ],
}
SAMPLES = {100: {"MAX_M_N": range(1, 6)}}


def test_picture_shows_at_each_place_the_last_cube_there(problem):
    cubes = list(corners(problem.grid))
    width = max(x for x, _ in cubes) + 7
    height = max(y for _, y in cubes) + 6
    picture = problem.reference_answer.split("\n")
    assert len(picture) == height
    assert {len(row) for row in picture} == {width}
    for x in range(width):
        for y in range(height):
            assert picture[height - 1 - y][x] == seen_at(cubes, x, y)
    assert not any(row != row.strip() for row in picture)


def test_the_prompt_shows_the_cube_and_a_true_example():
    prompt = BlockImage.generate(difficulty=3, seed=0).prompt()
    assert CUBE_TEXT in prompt
    example = prompt.split("give the picture\n\n")[1].split("\n\n")[0].split("\n")
    cubes = list(corners([[3, 1, 2], [1, 2, 1]]))
    for y, row in enumerate(reversed(example)):
        for x, character in enumerate(row):
            assert character == seen_at(cubes, x, y)


def corners(grid):
    """How far each lower left corner is from the left and from the bottom, in drawing order."""
    depth = len(grid) - 1
    for i, row in enumerate(grid):
        for j, height in enumerate(row):
            for k in range(height):
                yield 2 * (depth - i) + 4 * j, 2 * (depth - i) + 3 * k


def seen_at(cubes, x, y):
    for left, bottom in reversed(cubes):
        if 0 <= x - left < 7 and 0 <= y - bottom < 6:
            character = CUBE[5 - (y - bottom)][x - left]
            if character != ".":
                return character
    return "."
