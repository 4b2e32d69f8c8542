from rlve.envs.arrays.bucket_sorting import BucketSorting

PROBLEM = BucketSorting(
    N=7, MAX=3, array=[3, 1, 3, 0, 1, 3, 1], value2count={3: 3, 1: 3, 0: 1}, reference_answer=3
)
SCHEDULE = {
    0: {"N": 5, "MAX": 2},
    1: {"N": 6, "MAX": 3},
    2: {"N": 7, "MAX": 4},
    20: {"N": 62, "MAX": 22},
}
REWARDS = {1.0: ["3", "1"], 0.0: ["0"], -0.5: ["2", "-1"], -1.0: ["1 3", "none", ""]}
SAMPLES = {150: {"N": range(3, 15), "MAX": range(1, 9)}}


def test_right_values_are_those_that_no_other_outnumbers(problem):
    array = problem.array
    assert problem.value2count == {value: array.count(value) for value in array}
    most = max(array.count(value) for value in array)
    for value in set(array):
        assert problem.verify(f"<answer>{value}</answer>").correct == (array.count(value) == most)


def test_few_values_have_one_mode():
    for seed in range(50):
        array = BucketSorting.generate(difficulty=seed % 3, seed=seed).array
        counts = sorted(array.count(value) for value in set(array))
        assert counts[-2:].count(counts[-1]) == 1
