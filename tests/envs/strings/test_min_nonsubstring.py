from rlve.envs.strings.min_nonsubstring import MinNonsubstring

PROBLEM = MinNonsubstring(N=5, A="aabba", reference_answer="aaa")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["aaa", " aaa "],
    0.0: [
        "aba",  # not the first one
        "aaaa",
        "ab",
        "",
    ],
    -0.5: ["AAA", "`aaa`", "a a a"],
}
SAMPLES = {150: {"difficulty": range(21)}}


def test_gold_is_the_first_word_that_is_no_substring(problem):
    A = problem.A
    assert len(A) == problem.N
    found = {A[i:j] for j in range(len(A) + 1) for i in range(j + 1)}
    words = [""]
    for word in words:  # from the shortest on, and in lexicographic order
        if word not in found:
            assert problem.reference_answer == word
            break
        words += [word + "a", word + "b"]
