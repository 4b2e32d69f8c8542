from itertools import product

from rlve.envs.puzzles.quantum_lock_puzzle import QuantumLockPuzzle

PROBLEM = QuantumLockPuzzle(
    N=2,
    steps=3,
    Y_start=1,
    buttons=[(("+", 2), ("*", 3)), (("-", 1), ("-", 2))],
    Y_target=8,
    reference_answer="0 0 1",
)
SCHEDULE = {d: {"N": n, "steps": range(2, 11)} for d, n in ((0, 2), (1, 3), (3, 5), (20, 22))}
REWARDS = {
    1.0: [
        "0 0 1",  # 3, 9, 8
        "0 0 1 1 0",  # 3, 9, 8, 6, 8
        "0\n0\n1",
    ],
    0.0: ["0 0", "0 0 1 1", "0 0 " * 20_000, ""],
    -0.5: ["2", "-1", "0 0 0 2", "9" * 900],
    -1.0: ["0, 0", "x"],
}
SAMPLES = {100: {"N": [2, 3], "steps": range(2, 5)}}


def test_exactly_the_presses_that_reach_the_target_are_right(problem):
    for length in range(6):
        for presses in product(range(problem.N), repeat=length):
            yield presses, final_value(problem, presses) == problem.Y_target


def test_long_detours_are_followed_to_their_end():
    # Far up by the first button, then down again by the second.
    detour = QuantumLockPuzzle(
        N=2,
        steps=2,
        Y_start=1,
        buttons=[(("*", 3), ("*", 3)), (("-", 2), ("-", 2))],
        Y_target=-1,
        reference_answer="1",
    )
    presses = [0] * 8 + [1] * 3281
    assert final_value(detour, presses) == -1
    text = " ".join(map(str, presses))
    assert detour.verify(f"<answer>{text}</answer>").reward == 1.0


def final_value(problem, presses):
    x, y = 0, problem.Y_start
    for button in presses:
        operation, value = problem.buttons[button][x]
        y = {"+": y + value, "-": y - value, "*": y * value}[operation]
        x = 1 - x
    return y
