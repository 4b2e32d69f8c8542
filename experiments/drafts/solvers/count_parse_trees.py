import re


def count(word, start, binary, unary):
    n = len(word)
    if n == 0:
        return 0
    table = {}
    for i, ch in enumerate(word):
        cell = {}
        for x, t in unary:
            if t == ch:
                cell[x] = cell.get(x, 0) + 1
        table[i, i + 1] = cell
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            cell = {}
            for k in range(i + 1, j):
                left = table[i, k]
                right = table[k, j]
                for x, y, z in binary:
                    c = left.get(y, 0) * right.get(z, 0)
                    if c:
                        cell[x] = cell.get(x, 0) + c
            table[i, j] = cell
    return table[0, n].get(start, 0)


def solve(prompt: str):
    m = re.search(r'the start symbol is ([A-Z])', prompt)
    head = prompt.split('A parse tree of a string', 1)
    if m is None or len(head) != 2:
        return None
    start = m.group(1)
    binary = set()
    unary = set()
    for x, rhs in re.findall(r'^\s*([A-Z])\s*->\s*([^\n]+?)\s*$', head[0], re.M):
        parts = rhs.split()
        if len(parts) == 2 and all(re.fullmatch('[A-Z]', p) for p in parts):
            binary.add((x, parts[0], parts[1]))
        elif len(parts) == 1 and re.fullmatch('[a-z]', parts[0]):
            unary.add((x, parts[0]))
        else:
            return None
    m = re.search(r'How many different parse trees[^\n]*\n(.*?)Output format', prompt, re.S)
    if m is None:
        return None
    words = m.group(1).split()
    if not words or not all(re.fullmatch('[a-z]+', w) for w in words):
        return None
    if sum(len(w) ** 3 for w in words) * len(binary) > 20000000:
        return None
    return ' '.join(str(count(w, start, binary, unary)) for w in words)
