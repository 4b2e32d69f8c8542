import re
from fractions import Fraction


def solve(prompt: str):
    m = re.search(r'A board has the squares 0 to (\d+)', prompt)
    f = re.search(r'fair die has \d+ faces? with the numbers? ([\d, and]+);', prompt)
    if m is None or f is None or 'In one turn the die is thrown once' not in prompt:
        return None
    last = int(m.group(1))
    faces = [int(x) for x in re.findall(r'\d+', f.group(1))]
    if not faces or 'One token starts on square 0' not in prompt:
        return None
    if not re.search(r'What is the expected number of turns until the token stands on square %d, '
                     r'counting the last turn' % last, prompt):
        return None
    m = re.search(r'If the throw would lead beyond square \d+, ([^\n]*)', prompt)
    if m is None:
        over = None
    elif 'stays where it is' in m.group(1):
        over = 'stay'
    elif re.match(r'the token moves to square %d\.' % last, m.group(1)):
        over = 'end'
    else:
        return None
    jump = {}
    for a, b in re.findall(r'(?:Ladder|Slide) from square (\d+) (?:up|down) to square (\d+)', prompt):
        jump[int(a)] = int(b)

    def move(s, x):
        t = s + x
        if t > last:
            if over == 'stay':
                return s          # no move is made, so nothing else happens
            if over != 'end':
                raise ValueError
            t = last
        if t == s:
            return s
        return jump.get(t, t)

    try:
        reach = [0]
        for s in reach:
            if s == last:
                continue
            for x in faces:
                t = move(s, x)
                if t not in reach:
                    reach.append(t)
    except ValueError:
        return None
    states = [s for s in reach if s != last]
    n = len(states)
    if n > 80:
        return None
    pos = {s: i for i, s in enumerate(states)}
    # E(s) = 1 + sum of E(next) / faces
    rows = []
    for s in states:
        row = [Fraction(0)] * (n + 1)
        row[pos[s]] += 1
        row[n] = Fraction(1)
        for x in faces:
            t = move(s, x)
            if t != last:
                row[pos[t]] -= Fraction(1, len(faces))
        rows.append(row)
    for c in range(n):
        p = next((r for r in range(c, n) if rows[r][c] != 0), None)
        if p is None:
            return None
        rows[c], rows[p] = rows[p], rows[c]
        piv = rows[c][c]
        rows[c] = [v / piv for v in rows[c]]
        for r in range(n):
            if r != c and rows[r][c] != 0:
                k = rows[r][c]
                rows[r] = [v - k * w for v, w in zip(rows[r], rows[c])]
    e = rows[pos[0]][n]
    return '%d/%d' % (e.numerator, e.denominator)
