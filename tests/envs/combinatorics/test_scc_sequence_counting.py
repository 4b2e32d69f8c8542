from itertools import permutations

from rlve.envs.combinatorics.scc_sequence_counting import SCC_Sequence_Counting, count_sequences

PROBLEM = SCC_Sequence_Counting(
    N=3, MOD=5, gold_answer=[1, 2, 4, 2, 2, 2], reference_answer="1 2 4 2 2 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["1 2 4 2 2 2", "1\n2 4\n2 2 2"],
    (5 / 6) ** 10: ["1 2 4 2 2 7"],
    0.0: ["9 9 9 9 9 9"],
    -0.5: ["1 2 4 2 2", "1 2 4 2 2 2 2", ""],
    -1.0: ["1, 2, 4, 2, 2, 2"],
}


def test_gold_counts_the_sequences():
    exact = {N: by_brute_force(N) for N in (3, 4)}
    assert exact[3] == [1, 2, 4, 7, 7, 7]
    assert {N: count_sequences(N) for N in exact} == exact
    for seed in range(100):
        p = SCC_Sequence_Counting.generate(difficulty=seed % 2, seed=seed)
        assert 2 <= p.MOD <= max(exact[p.N])
        assert p.gold_answer == [count % p.MOD for count in exact[p.N]]


def by_brute_force(N):
    """Edge set by edge set: all sequences that lead to each set of edges."""
    edges = list(permutations(range(N), 2))
    layer, counts = {frozenset(): {()}}, []
    for _ in edges:
        extended = {}
        for chosen, sequences in layer.items():
            for edge in edges:
                if edge not in chosen:
                    extended.setdefault(chosen | {edge}, set()).update(sequences)
        layer = {}
        for chosen, sequences in extended.items():
            number = components(N, chosen)
            layer[chosen] = {(*sequence, number) for sequence in sequences}
        counts.append(len(set().union(*layer.values())))
    return counts


def components(N, edges):
    reach = [1 << v for v in range(N)]
    for _ in range(N):
        for u, v in edges:
            reach[u] |= reach[v]
    return len(set(reach))


def test_sequences_of_the_largest_graphs():
    counts = count_sequences(23)
    assert len(counts) == 23 * 22
    assert counts[:3] == [1, 2, 4]  # a cycle takes two edges, or three
    assert counts == sorted(counts)
    assert len(set(counts[-22:])) == 1  # so many edges leave a single component
