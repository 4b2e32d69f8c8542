import re


def solve(prompt: str):
    m = re.search(r'from the first to the last:\s*\n\s*\n([^\n]+)\n', prompt)
    if m is None:
        return None
    alphabet = m.group(1).split()
    rank = {a: i for i, a in enumerate(alphabet)}
    if len(rank) != len(alphabet) or any(len(a) > 2 for a in alphabet):
        return None

    m = re.search(r'These \d+ words are to be sorted[^\n]*:(.*?)Which words?', prompt, re.S)
    places = re.search(r'at the places? ([\d, and]+) of the sorted list', prompt)
    if m is None or places is None:
        return None
    words = re.findall(r'[a-z]+', m.group(1))

    compare = [line for line in prompt.split('\n') if line.startswith('Words are compared')]
    if len(compare) != 1:
        return None
    if 'from the right' in compare[0]:
        reverse = True
    elif 'from the left' in compare[0]:
        reverse = False
    else:
        return None

    def key(word):
        out = []
        i = 0
        while i < len(word):
            two = word[i:i + 2]
            if len(two) == 2 and two in rank:
                out.append(rank[two])
                i += 2
            else:
                out.append(rank[word[i]])
                i += 1
        if reverse:
            out.reverse()
        return out

    try:
        order = sorted(words, key=key)
        return ' '.join(order[int(p) - 1] for p in re.findall(r'\d+', places.group(1)))
    except (KeyError, IndexError):
        return None
