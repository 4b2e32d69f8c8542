import re


def solve(prompt):
    rows = [
        [int(word) for word in line.split()]
        for line in prompt.splitlines()
        if re.fullmatch(r"-?\d+( -?\d+)*", line.strip())
    ]
    height, width = map(
        int, re.search(r"kernel of (\d+) rows? and (\d+) columns?", prompt).groups()
    )
    lines = []
    for i in range(len(rows) - height + 1):
        line = []
        for j in range(len(rows[0]) - width + 1):
            line.append(max(rows[i + a][j + b] for a in range(height) for b in range(width)))
        lines.append(" ".join(map(str, line)))
    return "\n".join(lines)
