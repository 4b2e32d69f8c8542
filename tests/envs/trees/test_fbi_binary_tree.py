from rlve.envs.trees.fbi_binary_tree import FBI_BinaryTree

PROBLEM = FBI_BinaryTree(N=2, string="1100", reference_answer="IIIBBBF")
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 8: {"N": 10}}
REWARDS = {
    1.0: ["IIIBBBF"],
    (6 / 7) ** 5: ["IIIBBBB"],
    (3 / 7) ** 5: ["BBBBBBB"],
    0.0: ["FFFFFFI"],
    -0.5: ["IIIBBB", "IIIBBBFF", "iiibbbf", "III BBBF", ""],
}
SAMPLES = {150: {"N": range(2, 7)}}


def test_labels_follow_from_the_substrings(problem):
    assert set(problem.string) == {"0", "1"}
    assert len(problem.string) == 2**problem.N
    assert problem.reference_answer == "".join(labels(problem.string))


def labels(string):
    """A block of 2^k characters comes after the smaller ones that end where it ends."""
    for end in range(1, len(string) + 1):
        size = 1
        while end % size == 0 and size <= len(string):
            block = string[end - size : end]
            yield "F" if len(set(block)) == 2 else {"0": "B", "1": "I"}[block[0]]
            size *= 2
