import re


def solve(prompt):
    bits = [int(bit) for bit in re.findall(r"A\[\d+\]=([01])", prompt)]
    far = int(re.search(r"\|i - P\[i\]\| <= (\d+)", prompt)[1])
    places = {bit: [i for i, b in enumerate(bits) if b == bit] for bit in (0, 1)}
    ways = {0: 1}  # by the number of ones so far
    for i in range(len(bits)):
        following = {}
        for ones, count in ways.items():
            for bit, index in ((1, ones), (0, i - ones)):
                near = index < len(places[bit]) and abs(places[bit][index] - i) <= far
                if near:
                    following[ones + bit] = following.get(ones + bit, 0) + count
        ways = following
    return str(sum(ways.values()))
