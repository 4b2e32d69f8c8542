import re


def run(table, word):
    state = 1
    out = []
    for ch in word:
        o, nxt = table[state][0][ch]
        out.append(o)
        state = nxt
    out.append(table[state][1])
    return ''.join(out)


def solve(prompt: str):
    table = {}
    for line in prompt.split('\n'):
        m = re.match(r'\s*state (\d+) \|(.*)\| end output: ([A-Z]+|-)\s*$', line)
        if m is None:
            continue
        trans = {}
        for part in m.group(2).split('|'):
            e = re.fullmatch(r'\s*([a-z]): ([A-Z]+|-), (\d+)\s*', part)
            if e is None:
                return None
            trans[e.group(1)] = ('' if e.group(2) == '-' else e.group(2), int(e.group(3)))
        table[int(m.group(1))] = (trans, '' if m.group(3) == '-' else m.group(3))
    w = re.search(r'The word is:\s*([a-z]*)', prompt)
    if not table or w is None:
        return None
    runs = 1
    m = re.search(r'The machine makes (\w+) runs', prompt)
    if m:
        numbers = {'two': 2, 'three': 3, 'four': 4, 'five': 5}
        if m.group(1) in numbers:
            runs = numbers[m.group(1)]
        elif m.group(1).isdigit():
            runs = int(m.group(1))
        else:
            return None
    word = w.group(1)
    out = ''
    try:
        for i in range(runs):
            out = run(table, word)
            word = out.lower()
            if len(word) > 1000000:
                return None
    except KeyError:
        return None
    return out
