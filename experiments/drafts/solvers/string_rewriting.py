import re


def solve(prompt: str):
    rules = [(int(n), x, y) for n, x, y in
             re.findall(r'^\s*(\d+)\.\s+([a-z]+) -> ?([a-z]*)\s*$', prompt, re.M)]
    start = re.search(r'Start string:\s*([a-z]+)', prompt)
    steps = re.search(r'after exactly (\d+) steps?', prompt)
    if not rules or start is None or steps is None:
        return None
    rules.sort(key=lambda r: r[0])
    s = start.group(1)
    for _ in range(int(steps.group(1))):
        for _, x, y in rules:
            i = s.find(x)
            if i >= 0:
                s = s[:i] + y + s[i + len(x):]
                break
        else:
            return None
        if len(s) > 1000000:
            return None
    return s
