from rlve.envs.strings.shared_substring_counting import SharedSubstringCounting

# b twice, a twice, ba once
PROBLEM = SharedSubstringCounting(MAX_LEN=10, S="bba", T="aba", reference_answer=5)
NONE = SharedSubstringCounting(MAX_LEN=10, S="bb", T="aaa", reference_answer=0)
SCHEDULE = {0: {"MAX_LEN": 10}, 1: {"MAX_LEN": 12}, 2: {"MAX_LEN": 14}, 3: {"MAX_LEN": 16}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["5"],
            (4 / 5) ** 10: ["4"],
            (5 / 10) ** 10: ["10"],
            0.0: ["0"],
            -1.0: ["-5", "5.0", ""],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {100: {"difficulty": range(4)}}


def test_gold_counts_all_pairs_of_substrings(problem):
    of_s, of_t = substrings(problem.S), substrings(problem.T)
    assert problem.reference_answer == sum(of_t.count(text) for text in of_s)


def substrings(text):
    return [text[i:j] for j in range(len(text) + 1) for i in range(j)]
