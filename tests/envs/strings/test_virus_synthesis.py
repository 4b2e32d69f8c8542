from rlve.envs.strings.virus_synthesis import VirusSynthesis

# 1, 11, 110, 110011
PROBLEM = VirusSynthesis(loose_MAX_N=4, S="110011", reference_answer=4)
SCHEDULE = {d: {"loose_MAX_N": n} for d, n in ((0, 4), (1, 5), (6, 10), (7, 12))}
REWARDS = {1.0: ["4"], 0.0: ["3", "6", "-4"], -1.0: ["4 operations", ""]}
SAMPLES = {120: {"difficulty": range(13)}}


def test_gold_is_the_distance_from_the_empty_string(problem):
    """Search breadth first; whatever is on the way is a substring of S."""
    assert problem.loose_MAX_N <= len(problem.S) <= 2 * problem.loose_MAX_N - 2
    S = problem.S
    parts = {S[i:j] for j in range(len(S) + 1) for i in range(j)}
    level, seen, steps = {""}, {""}, 0
    while S not in level:
        level = {
            longer
            for text in level
            for longer in (
                *(digit + text for digit in "01"),
                *(text + digit for digit in "01"),
                text + text[::-1],
                text[::-1] + text,
            )
            if longer in parts
        } - seen
        seen |= level
        steps += 1
    assert problem.reference_answer == steps
