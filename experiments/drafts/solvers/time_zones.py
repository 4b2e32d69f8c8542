import re


def minutes(s):
    h, m = s.split(":")
    return int(h) * 60 + int(m)


def solve(prompt):
    day = 1440
    m = re.search(r"by telephone for (\d+) minutes?", prompt)
    s = re.search(r"first time at (\d+:\d+) UTC or later", prompt)
    people = re.findall(r"(?m)^\s*Person \d+, UTC([+-])(\d+):(\d+):([ \d:,-]*)$", prompt)
    if not m or not s or not people:
        return None
    dur = int(m.group(1))
    begin = minutes(s.group(1))
    busy = [False] * day        # per minute of the UTC day
    for sign, h, mm, text in people:
        off = int(h) * 60 + int(mm)
        if sign == "-":
            off = -off
        for a, b in re.findall(r"(\d+:\d+)-(\d+:\d+)", text):
            a, b = minutes(a), minutes(b)
            if b < a:
                b += day
            for x in range(a, b):
                busy[(x - off) % day] = True
    for t in range(begin, begin + day + 1):
        if not any(busy[(t + i) % day] for i in range(dur)):
            return "%02d:%02d" % (t // 60 % 24, t % 60)
    return None
