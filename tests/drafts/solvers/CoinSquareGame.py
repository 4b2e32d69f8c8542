import re


def solve(prompt):
    coins = [int(value) for value in re.findall(r"C\[\d+\]=(\d+)", prompt)]
    n = len(coins)
    rest = [0] * (n + 1)
    for i in reversed(range(n)):
        rest[i] = rest[i + 1] + coins[i]
    # best[i][most]: the score of the player who moves at coin i and takes at most `most` coins.
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for most in range(1, n + 1):
            best[i][most] = best[i][most - 1]
            if i + most <= n:
                other = best[i + most][min(n, 2 * most)]
                best[i][most] = max(best[i][most], rest[i] - other)
    return str(best[0][min(2, n)])
