import re


def solve(prompt):
    m = re.search(r"carry these numbers:\s*\n([\d\s\-]+?)\n\s*\n", prompt)
    if not m:
        return None
    cols = [[x] for x in m.group(1).split()]
    total = len(cols)
    part = prompt[prompt.index("The folds, in this order"):]
    folds = re.findall(r"(?m)^\s*\d+\.\s*(left|right)\s+(\d+)\s+(over|under)\s*$", part)
    for side, k, word in folds:
        k = int(k)
        w = len(cols)
        if not 1 <= k <= w - 1:
            return None
        # both lists are counted from the crease outwards
        if side == "left":
            turned = cols[:k][::-1]
            rest = cols[k:]
        else:
            turned = cols[w - k:]
            rest = cols[:w - k][::-1]
        new = []
        for i in range(max(k, w - k)):
            t = turned[i][::-1] if i < len(turned) else []
            r = rest[i] if i < len(rest) else []
            new.append(t + r if word == "over" else r + t)
        if side == "right":
            new.reverse()
        cols = new
    if len(cols) != 1 or len(cols[0]) != total:
        return None
    return " ".join(cols[0])
