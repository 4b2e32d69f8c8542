from rlve.envs.bits.nand_result_counting import NANDResultCounting

# Bits 0 and 2 are equal in all numbers: 0, 2, 5 and 7 can be made.
PROBLEM = NANDResultCounting(N=2, K=3, A=[5, 7], L=1, R=6, reference_answer=2)
NOTHING = NANDResultCounting(N=2, K=3, A=[5, 7], L=3, R=4, reference_answer=0)
SCHEDULE = {0: {"N": 3, "K": 2}, 1: {"N": 4, "K": 3}, 8: {"N": 12, "K": 10}, 20: {"N": 50, "K": 22}}
REWARDS = [
    (PROBLEM, {1.0: ["2"], 0.5**10: ["1", "4"], 0.0: ["0"], -1.0: ["-2", "2 5", "two", ""]}),
    (NOTHING, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),
]
SAMPLES = {150: {"N": range(2, 6), "K": range(1, 7)}}


def test_count_is_that_of_the_closure(problem):
    K = problem.K
    made = closure(problem.A, 2**K - 1)
    assert all(0 <= x < 2**K for x in problem.A)
    assert problem.reference_answer == sum(problem.L <= x <= problem.R for x in made)


def closure(numbers, mask):
    made, new = set(numbers), list(set(numbers))
    while new:
        x = new.pop()
        for y in list(made):
            if (value := mask ^ (x & y)) not in made:
                made.add(value)
                new.append(value)
    return made
