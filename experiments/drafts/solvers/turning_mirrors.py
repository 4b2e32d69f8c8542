import re


def solve(prompt):
    m = re.search(r"grid of (\d+) rows? and (\d+) columns?:", prompt)
    if not m:
        return None
    rows, cols = int(m.group(1)), int(m.group(2))
    grid = []
    for line in prompt[m.end():].split("\n"):
        line = line.strip()
        if not line:
            if grid:
                break
            continue
        if re.fullmatch(r"[./\\]+", line):
            grid.append(list(line))
        else:
            break
    if len(grid) != rows or any(len(r) != cols for r in grid):
        return None
    m = re.search(r"through the (north|south|east|west) side into (?:row|column) (\d+)", prompt)
    if not m:
        return None
    k = int(m.group(2)) - 1
    if m.group(1) == "north":
        r, c, d = 0, k, "S"
    elif m.group(1) == "south":
        r, c, d = rows - 1, k, "N"
    elif m.group(1) == "west":
        r, c, d = k, 0, "E"
    else:
        r, c, d = k, cols - 1, "W"
    slash = {"E": "N", "N": "E", "W": "S", "S": "W"}
    back = {"E": "S", "S": "E", "W": "N", "N": "W"}
    step = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
    turns = 0
    count = 0
    while 0 <= r < rows and 0 <= c < cols:
        x = grid[r][c]
        if x == "/":
            d = slash[d]
            grid[r][c] = "\\"
            turns += 1
        elif x == "\\":
            d = back[d]
            grid[r][c] = "/"
            turns += 1
        r += step[d][0]
        c += step[d][1]
        count += 1
        if count > 2000000:
            return None
    if d in "NS":
        return "%s %d %d" % (d, c + 1, turns)
    return "%s %d %d" % (d, r + 1, turns)
