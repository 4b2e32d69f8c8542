from itertools import product

from rlve.envs.trees.pol_polarization import POLPolarization

# A star around 2, of which one arm, 1 - 4, is longer.
PROBLEM = POLPolarization(N=5, edges=[(0, 2), (1, 4), (1, 2), (2, 3)], reference_answer=9)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {1.0: ["9"], 0.0: ["10", "8", "-9"], -1.0: ["9.0", "9 9", ""]}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_directions(problem):
    turns = product((False, True), repeat=problem.N - 1)
    assert problem.reference_answer == max(linked_pairs(problem, turned) for turned in turns)


def test_the_worked_solution_derives_the_answer_on_larger_trees():
    for seed in range(60):
        problem = POLPolarization.generate(difficulty=6 + seed % 6, seed=seed)
        worked = problem.worked()
        assert worked[-1] == f"Answer: {problem.reference_answer}"
        assert "known" not in " ".join(worked)


def linked_pairs(problem, turned):
    reached = [{v} for v in range(problem.N)]
    arcs = [(v, u) if turn else (u, v) for (u, v), turn in zip(problem.edges, turned, strict=True)]
    grown = True
    while grown:
        grown = False
        for s, t in arcs:
            if not reached[t] <= reached[s]:
                reached[s] |= reached[t]
                grown = True
    return sum(map(len, reached)) - problem.N
