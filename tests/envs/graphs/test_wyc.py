from rlve.envs.graphs.wyc import WYC, has_walks, weight_of_walk

# Walks: weights 1 and 1 (two edges), 2, 2, 2, 2 (1-2-1 and 2-1-2, twice), ...
PROBLEM = WYC(N=2, MAX_K=10, edges=[(1, 2, 1), (1, 2, 1), (2, 1, 1)], K=8, reference_answer=3)
SCHEDULE = {d: {"N": range(2, 9), "MAX_K": n} for d, n in ((0, 5), (1, 10), (20, 5242880))}
REWARDS = {1.0: ["3"], (3 / 4) ** 10: ["4"], (2 / 3) ** 10: ["2"], -1.0: ["0", "-3", "", "3.0"]}
SAMPLES = {100: {"difficulty": range(8)}}


def test_gold_is_the_weight_found_by_counting_walks_weight_by_weight(problem):
    counts = [
        dict.fromkeys(range(1, problem.N + 1), 1)
    ]  # walks of each weight, by their last vertex
    total = weight = 0
    while total < problem.K:
        weight += 1
        ending = dict.fromkeys(range(1, problem.N + 1), 0)
        for s, t, w in problem.edges:
            if w <= weight:
                ending[t] += counts[weight - w][s]
        counts.append(ending)
        total += sum(ending.values())
    assert problem.reference_answer == weight


def test_few_walks_need_a_large_weight():
    ring = [(1, 2, 3), (2, 1, 3)]  # two walks of each weight that 3 divides
    assert weight_of_walk(2, ring, 10**6) == 3 * 10**6 // 2
    assert weight_of_walk(2, ring, 10**12) == 3 * 10**12 // 2
    assert has_walks(2, ring, 10**12)


def test_a_graph_without_cycle_has_finitely_many_walks():
    edges = [(1, 2, 1), (2, 3, 2), (2, 3, 2)]  # three edges, two walks of two edges
    assert has_walks(3, edges, 5)
    assert not has_walks(3, edges, 6)
    assert [weight_of_walk(3, edges, k) for k in range(1, 6)] == [1, 2, 2, 3, 3]
