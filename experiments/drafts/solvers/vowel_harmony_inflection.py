import re


def letters(text):
    return set(re.findall(r'\b[a-z]\b', text))


def solve(prompt: str):
    m = re.search(r'back vowels are ([a-z, ]+?), the front vowels are ([a-z, ]+?),? and all other', prompt)
    if m is None:
        return None
    back = letters(m.group(1))
    front = letters(m.group(2))
    vowels = back | front

    # the suffix lists
    m = re.search(r'These are the suffixes[^\n]*\n(.*?)\n\s*The order is:([^\n]*)', prompt, re.S)
    if m is None:
        return None
    cats = {}
    for line in m.group(1).split('\n'):
        line = line.strip()
        if not line:
            continue
        head, rest = line.split(':', 1)
        table = {}
        for item in rest.split(','):
            name, suf = item.strip().rsplit(' ', 1)
            table[name.strip()] = '' if suf == 'none' else suf
        cats[head.strip().lower()] = table
    order = []
    for part in m.group(2).strip().rstrip('.').split(',')[1:]:
        name = part.strip()
        if not name.endswith(' suffix'):
            return None
        order.append(name[:-len(' suffix')].strip().lower())
    if sorted(order) != sorted(cats):
        return None

    # the vowels of the suffixes
    cap = {}
    for c, b, f in re.findall(r'([A-Z]) is ([a-z]) in a back form and ([a-z]) in a front form', prompt):
        cap[c] = (b, f)

    neutral = set()
    m = re.search(r'A stem is back if its last vowel( other than ([^\n]*?))? is back', prompt)
    if m is None:
        return None
    if m.group(1):
        neutral = letters(m.group(2))
    none_front = re.search(r'no vowel[^.;]* is front', prompt) is not None
    none_back = re.search(r'no vowel[^.;]* is back', prompt) is not None

    m = re.search(r'ends in a vowel and the next suffix begins with a vowel, the consonant ([a-z]) is put', prompt)
    hiatus = m.group(1) if m else ''
    m = re.search(r'ends in a consonant and the next suffix begins with a consonant, the vowel ([a-z]) '
                  r'\(in a back form\) or ([a-z]) \(in a front form\)', prompt)
    link = (m.group(1), m.group(2)) if m else ('', '')

    tail = prompt[prompt.index('Build these forms'):]
    out = []
    for stem, vals in re.findall(r'^\s*\d+\.\s+stem ([a-z]+):([^\n]*)$', tail, re.M):
        cls = None
        for ch in reversed(stem):
            if ch in vowels and ch not in neutral:
                cls = 0 if ch in back else 1
                break
        if cls is None:
            if none_front:
                cls = 1
            elif none_back:
                cls = 0
            else:
                return None
        names = [v.strip() for v in vals.split(',')]
        if len(names) != len(order):
            return None
        # normally the values are named in the order of the suffixes
        chosen = {}
        if all(n in cats[o] for n, o in zip(names, order)):
            chosen = dict(zip(order, names))
        else:
            for n in names:
                where = [o for o in order if n in cats[o] and o not in chosen]
                if len(where) != 1:
                    return None
                chosen[where[0]] = n
        form = stem
        for o in order:
            suf = cats[o][chosen[o]]
            if suf == '':
                continue
            suf = ''.join(cap[c][cls] if c in cap else c for c in suf)
            end_v = form[-1] in vowels
            beg_v = suf[0] in vowels
            if end_v and beg_v:
                form += hiatus
            elif not end_v and not beg_v:
                form += link[cls]
            form += suf
        out.append(form)
    if not out:
        return None
    return ' '.join(out)
