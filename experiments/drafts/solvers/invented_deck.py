import re
from math import comb, gcd

WORDS = {'zero': 0, 'no': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6,
         'seven': 7, 'eight': 8, 'nine': 9, 'ten': 10, 'a': 1, 'an': 1}
N = r'(-?\d+|zero|one|two|three|four|five|six|seven|eight|nine|ten)'


def num(s):
    return WORDS[s] if s in WORDS else int(s)


def is_prime(v):
    return v > 1 and all(v % i for i in range(2, int(v ** 0.5) + 1))


def cmp_full(s):
    """A comparison of an integer, or None. Returns (function, kind)."""
    s = s.strip()
    s = re.sub(r'^(?:is|are|be)\s+', '', s)
    if s.startswith('not '):
        r = cmp_full(s[4:])
        if r is None:
            return None
        return (lambda v, f=r[0]: not f(v)), 'other'
    m = re.fullmatch(N + r'\s*(?:,|or|and)\s*' + N, s)
    if m and ' and ' not in s:
        a, b = num(m.group(1)), num(m.group(2))
        return (lambda v: v == a or v == b), 'eq'
    m = re.fullmatch(r'(?:either )?' + N + r'((?:, ' + N + r')*),? or ' + N, s)
    if m:
        xs = [num(x) for x in re.findall(N, s)]
        return (lambda v: v in xs), 'eq'
    m = re.fullmatch(r'(?:at least|not less than|not fewer than|no fewer than|no less than|>=|greater than or equal to|a minimum of) ' + N, s) \
        or re.fullmatch(N + r' or (?:more|higher|greater|larger|above)', s)
    if m:
        a = num(m.group(1))
        return (lambda v: v >= a), 'ge'
    m = re.fullmatch(r'(?:at most|not more than|no more than|<=|less than or equal to|a maximum of|up to) ' + N, s) \
        or re.fullmatch(N + r' or (?:less|fewer|lower|smaller|below)', s)
    if m:
        a = num(m.group(1))
        return (lambda v: v <= a), 'le'
    m = re.fullmatch(r'(?:more|greater|larger|higher|bigger) than ' + N, s) or re.fullmatch(r'above ' + N, s)
    if m:
        a = num(m.group(1))
        return (lambda v: v > a), 'ge'
    m = re.fullmatch(r'(?:less|fewer|smaller|lower) than ' + N, s) or re.fullmatch(r'below ' + N, s)
    if m:
        a = num(m.group(1))
        return (lambda v: v < a), 'le'
    m = re.fullmatch(r'(?:between|from) ' + N + r' (?:and|to) ' + N + r'(?:,? inclusive|,? \(?both included\)?)?', s)
    if m:
        a, b = num(m.group(1)), num(m.group(2))
        return (lambda v: a <= v <= b), 'other'
    m = re.fullmatch(r'(?:exactly |equal to |precisely |just |only )?' + N, s)
    if m:
        a = num(m.group(1))
        return (lambda v: v == a), 'eq'
    if s == 'no':
        return (lambda v: v == 0), 'no'
    if s in ('a', 'an'):
        return (lambda v: v >= 1), 'ge'
    m = re.fullmatch(r'(?:an )?(even|odd)(?: number(?: of)?)?', s)
    if m:
        r = 0 if m.group(1) == 'even' else 1
        return (lambda v: v % 2 == r), 'other'
    m = re.fullmatch(r'(?:divisible by|a multiple of) ' + N, s)
    if m:
        a = num(m.group(1))
        return (lambda v: v % a == 0), 'other'
    if s in ('prime', 'a prime', 'a prime number'):
        return is_prime, 'other'
    return None


def filt(s, suits):
    """A predicate of a card (suit, rank), or None."""
    s = s.strip().strip(',').strip()
    s = re.sub(r'^(?:that|which|who)\s+', '', s)
    s = re.sub(r'^(?:are|is|have|has)\s+', '', s)
    if s == '':
        return lambda c: True
    if s.startswith('not '):
        f = filt(s[4:], suits)
        return None if f is None else (lambda c: not f(c))
    if s.startswith('neither '):
        f = filt(s[8:].replace(' nor ', ' or '), suits)
        return None if f is None else (lambda c: not f(c))
    low = {x.lower(): x for x in suits}
    alt = '|'.join(sorted((re.escape(x) for x in low), key=len, reverse=True))
    m = re.fullmatch(r'(?:(?:of|from|in|with|belonging to) )?(?:either )?(?:the )?(?:suits? )?((?:' + alt + r')(?:(?:, (?:and |or )?| and | or )(?:of )?(?:the )?(?:suit )?(?:' + alt + r'))*)(?: suit)?', s)
    if m:
        xs = set(low[x] for x in re.findall(r'(?:' + alt + r')', m.group(1)))
        return lambda c: c[0] in xs
    m = re.fullmatch(r'(?:(?:of|from) )?(?:a |another |other )?suits? (?:other than|different from) (?:the )?(?:suit )?(' + alt + r')', s)
    if m:
        x = low[m.group(1)]
        return lambda c: c[0] != x
    m = re.fullmatch(r'(?:(?:of|with|whose) )?(?:a |an |the |its )?ranks? (?:of |that is |which is |that are |is |are |being )?(.+)', s)
    if m:
        r = cmp_full(m.group(1))
        if r is not None:
            f = r[0]
            return lambda c: f(c[1])
    m = re.fullmatch(r'(?:(?:of|with) )?(?:a |an |the )?(even|odd|prime)(?:-ranked| ranks?| numbers? as ranks?)?(?: cards?)?', s)
    if m:
        r = cmp_full(m.group(1))
        f = r[0]
        return lambda c: f(c[1])
    for sep in (' and ', ' but ', ' with ', ' of ', ' whose ', ' that ', ' or '):
        for k in [i for i in range(len(s)) if s.startswith(sep, i)]:
            left = s[:k]
            right = s[k + len(sep):] if sep in (' and ', ' but ', ' or ') else s[k + 1:]
            a = filt(left, suits) if left.strip() else None
            b = filt(right, suits) if right.strip() else None
            if a is not None and b is not None:
                if sep == ' or ':
                    return lambda c: a(c) or b(c)
                return lambda c: a(c) and b(c)
    return None


# F is a dictionary: 'suits', 'n', 'keys' (list of features) and 'index'.
# Features: ('acc', value of card) | ('prod',) | ('suits',) | ('pattern',) | ('dup',) | ('min',) | ('max',)
def feature(F, key):
    if key[0] != 'acc':
        if key in F['index']:
            return F['index'][key]
        F['index'][key] = len(F['keys'])
    F['keys'].append(key)
    return len(F['keys']) - 1


CMPRE = (r'((?:not )?(?:at least|at most|exactly|precisely|more than|fewer than|less than|no more than|no fewer than|no less than|not more than|only|just|up to) ' + N +
         r'|' + N + r' or (?:more|fewer|less)|between ' + N + r' and ' + N + r'|' + N + r' or ' + N +
         r'|an even number of|an odd number of|no|an?|' + N + r')')


def cut(s, prefix_re):
    m = re.match(prefix_re, s)
    return (m, s[m.end():]) if m else (None, s)


def cond(text, suits, F):
    """Compiles a condition to a function of the tuple of features; None if not understood."""
    s = ' '.join(text.lower().split()).strip().rstrip('.;,').strip()
    s = re.sub(r',? (?:in|of|from|within) (?:the|your|this) hand\b', ' #', s)
    s = ' '.join(s.split())
    if s.startswith('the hand '):
        pass
    r = cond1(s, suits, F)
    if r is not None:
        return r
    for pat in (r'it is not (?:true|the case) that (.+)', r'not:? (.+)'):
        m = re.fullmatch(pat, s)
        if m:
            a = cond(m.group(1), suits, F)
            if a is not None:
                return lambda v: not a(v)
    for sep in (' or ', ' and '):
        for k in [i for i in range(len(s)) if s.startswith(sep, i)]:
            left, right = s[:k].rstrip(','), s[k + len(sep):]
            left = re.sub(r'^either ', '', left)
            if sep == ' or ' and right.endswith(' or both'):
                right = right[:-8].rstrip(',')
            a = cond1(left.strip(), suits, F)
            if a is None:
                continue
            b = cond(right, suits, F)
            if b is None and right.split(' ')[0] in ('has', 'contains', 'is'):
                b = cond('the hand ' + right, suits, F)
            if b is not None:
                if sep == ' or ':
                    return lambda v: a(v) or b(v)
                return lambda v: a(v) and b(v)
    return None


def same_diff(s, F):
    """'different ranks', 'the same suit' ..."""
    m = re.fullmatch(r'(?:(?:of|have|has|with|are) )*(?:(?:a|the|all|pairwise|mutually) )*(different|distinct|same|equal) (rank|suit)s?(?: #)?', s)
    if not m:
        return None
    what = 'pattern' if m.group(2) == 'rank' else 'suits'
    if m.group(1) in ('different', 'distinct'):
        d = feature(F, ('dup' if m.group(2) == 'rank' else 'suits',))
        return lambda v: max(v[d]) <= 1
    i = feature(F, (what,))
    return lambda v: sum(1 for x in v[i] if x) <= 1


def multi(i, c):
    f, kind = c
    if kind == 'le':
        return lambda v: all(f(x) for x in v[i])
    if kind == 'no':
        return lambda v: max(v[i]) <= 1
    return lambda v: any(f(x) for x in v[i] if x)


def cond1(s, suits, F):
    n = F['n']
    bare = ' '.join(s.replace('#', ' ').split())
    bare = re.sub(r'^(the )?cards (have|are|has) all ', r'all cards \2 ', bare)
    bare = re.sub(r'^(the )?cards all (have|are) ', r'all cards \2 ', bare)
    bare = re.sub(r'^all (have|are) ', r'all cards \1 ', bare)
    if re.fullmatch(r'(?:the )?ranks(?: of (?:all |the )*cards)? are (?:either )?all even or all odd', bare) \
            or re.fullmatch(r'(?:the )?ranks of (?:all |the )*cards (?:have|are of) (?:the )?same parity', bare) \
            or re.fullmatch(r'all(?: the| of the)? cards have (?:a rank of |ranks of )?(?:the )?same parity', bare):
        i = feature(F, ('acc', (lambda card: card[1] % 2)))
        return lambda v: v[i] in (0, n)
    # sums, products, extremes: "the X is CMP"
    m = re.fullmatch(r'(?:the )?(sum|total|product) of (?:the |all )*ranks(?: of (?:all )?(?:of )?(?:the |all )*cards?)?(.*?) (?:is|equals|are) (.+)', bare)
    if m:
        rest = m.group(2).strip()
        c = cmp_full(m.group(3))
        f = filt(rest, suits)
        if c is not None and f is not None:
            g = c[0]
            if m.group(1) == 'product':
                if rest:
                    return None
                i = feature(F, ('prod',))
            else:
                i = feature(F, ('acc', (lambda card: card[1] if f(card) else 0)))
            return lambda v: g(v[i])
    m = re.fullmatch(r'(?:the )?(?:ranks|cards)(?: of (?:all |the )*cards)? (?:sum up|sum|add up) to (.+)', bare)
    if m:
        c = cmp_full(m.group(1))
        if c is not None:
            i = feature(F, ('acc', (lambda card: card[1])))
            return lambda v: c[0](v[i])
    big = r'(largest|highest|greatest|biggest|maximum|maximal|smallest|lowest|least|minimum|minimal)'
    m = re.fullmatch(r'(?:the )?' + big + r' rank(?: (?:of|among|on) (?:all |any |the |a )*(?:cards?|ranks|hand))?(?: that occurs| occurring)? (?:is|equals) (.+)', bare) \
        or re.fullmatch(r'(?:the )?rank of (?:the )?' + big + r' card (?:is|equals) (.+)', bare) \
        or re.fullmatch(r'(?:the )?' + big + r' card (?:has|is of) (?:a |the )?rank (?:of )?(.+)', bare) \
        or re.fullmatch(r'(?:the )?' + big + r' of (?:all |the )*ranks(?: of (?:all |the )*cards)? (?:is|equals) (.+)', bare)
    if m:
        c = cmp_full(m.group(2))
        if c is not None:
            key = 'max' if m.group(1) in ('largest', 'highest', 'greatest', 'biggest', 'maximum', 'maximal') else 'min'
            i = feature(F, (key,))
            return lambda v: c[0](v[i])
    m = re.fullmatch(r'(?:the )?(?:difference (?:between|of) (?:the )?' + big + r' (?:rank )?and (?:the )?' + big + r' rank|' + big + r' rank minus (?:the )?' + big + r' rank)(?: (?:of|among) (?:all |the )*cards)? (?:is|equals) (.+)', bare) \
        or re.fullmatch(r'(?:the )?(?:highest|largest) and (?:the )?(?:lowest|smallest) rank()()()() differ by (.+)', bare)
    if m:
        c = cmp_full(m.group(m.lastindex))
        if c is not None:
            i, j = feature(F, ('max',)), feature(F, ('min',))
            return lambda v: c[0](v[i] - v[j])
    # number of cards ... is CMP
    m = re.fullmatch(r'(?:the )?number of cards(.*?) (?:is|equals) (.+)', bare)
    if m:
        f, c = filt(m.group(1), suits), cmp_full(m.group(2))
        if f is not None and c is not None:
            i = feature(F, ('acc', (lambda card: 1 if f(card) else 0)))
            return lambda v: c[0](v[i])
    m = re.fullmatch(r'(?:the )?number of (?:different |distinct )?(rank|suit)s(?: that occur| of (?:the |all )*cards| among (?:the |all )*cards)? (?:is|equals) (.+)', bare)
    if m:
        c = cmp_full(m.group(2))
        if c is not None:
            i = feature(F, ('pattern' if m.group(1) == 'rank' else 'suits',))
            return lambda v: c[0](sum(1 for x in v[i] if x))
    # comparisons of two numbers of cards
    m = re.fullmatch(r'(?:the hand (?:has|contains)|there are) (more|fewer|less|as many|(?:exactly )?as many) cards (.+?) (?:than|as)(?: cards)? (.+)', bare)
    if m:
        f, g = filt(m.group(2), suits), filt(m.group(3), suits)
        if f is not None and g is not None:
            i = feature(F, ('acc', (lambda card: (1 if f(card) else 0) - (1 if g(card) else 0))))
            w = m.group(1)
            if w == 'more':
                return lambda v: v[i] > 0
            if w in ('fewer', 'less'):
                return lambda v: v[i] < 0
            return lambda v: v[i] == 0
    m = re.fullmatch(r'the hand (?:has|contains) (?:the same number|equally many) (?:of )?cards (.+?) (?:and|as)(?: cards)? (.+)', bare)
    if m:
        f, g = filt(m.group(1), suits), filt(m.group(2), suits)
        if f is not None and g is not None:
            i = feature(F, ('acc', (lambda card: (1 if f(card) else 0) - (1 if g(card) else 0))))
            return lambda v: v[i] == 0
    # all suits occur
    if re.fullmatch(r'(?:(?:all|each|every)(?: of the)?(?: \d+)? suits?(?: of the deck)? (?:occurs?|appears?|is present|are present|is represented|are represented))', bare) \
            or re.fullmatch(r'(?:the hand (?:has|contains)|there is) (?:at least )?(?:one|1|a) card (?:of|from) (?:each|every|all)(?: \w+)? suits?(?: of the deck)?', bare) \
            or re.fullmatch(r'the hand (?:has|contains) (?:cards (?:of|from) )?(?:all|each|every)(?: of the)?(?: \d+)? suits?', bare):
        i = feature(F, ('suits',))
        return lambda v: all(v[i])
    # consecutive
    if re.fullmatch(r'(?:the )?ranks(?: of (?:all |the )*cards)? (?:are|form) (?:all )?(?:different and )?(?:consecutive(?: (?:numbers|integers|ranks))?|a (?:straight|run))', bare) \
            or re.fullmatch(r'(?:all |the )*(?:cards|hand) (?:have|has|is|form|forms) (?:consecutive ranks|a straight)', bare):
        i, j, k = feature(F, ('max',)), feature(F, ('min',)), feature(F, ('pattern',))
        return lambda v: max(v[k]) <= 1 and v[i] - v[j] == n - 1
    m = re.fullmatch(r'(?:the )?(rank|suit)s of (?:all |the )*cards are (?:all )?(?:pairwise )?(different|distinct|the same|equal|equal to each other|even|odd|prime|at least -?\d+|at most -?\d+)', bare)
    if m:
        w = m.group(2)
        i = feature(F, ('pattern' if m.group(1) == 'rank' else 'suits',))
        if w in ('different', 'distinct'):
            return lambda v: max(v[i]) <= 1
        if w in ('the same', 'equal', 'equal to each other'):
            return lambda v: sum(1 for x in v[i] if x) <= 1
        c = cmp_full(w)
        if m.group(1) == 'rank' and c is not None:
            k = feature(F, ('acc', (lambda card: 1 if c[0](card[1]) else 0)))
            return lambda v: v[k] == n
    m = re.fullmatch(r'all ranks are (.+)', bare)
    if m:
        return cond1('the ranks of all cards are ' + m.group(1), suits, F)
    # "cards are of CMP different suits"
    m = re.fullmatch(r'(?:(?:all |the )*(?:\w+ )?cards (?:are|have|show|come)|the hand (?:has|contains|shows)|there are) (?:(?:cards )?(?:of|from|with|in) )?(?:cards )?' + CMPRE + r' (?:different |distinct )?(rank|suit)s?', bare)
    if m:
        c = cmp_full(m.group(1))
        if c is not None:
            i = feature(F, ('pattern' if m.group(m.lastindex) == 'rank' else 'suits',))
            return lambda v: c[0](sum(1 for x in v[i] if x))
    m = re.fullmatch(CMPRE + r' (?:different |distinct )(rank|suit)s? (?:occurs?|appears?|(?:is|are) (?:present|represented))', bare)
    if m:
        c = cmp_full(m.group(1))
        if c is not None:
            i = feature(F, ('pattern' if m.group(m.lastindex) == 'rank' else 'suits',))
            return lambda v: c[0](sum(1 for x in v[i] if x))
    # same or different
    m = re.fullmatch(r'(?:(?:all|the|both|all of the|all the)(?: \w+)? cards|the hand) (.+)', bare)
    if m:
        g = same_diff(m.group(1), F)
        if g is not None:
            return g
    m = re.fullmatch(r'not all(?: of the| the)? cards (.+)', bare)
    if m:
        g = cond1('all cards ' + m.group(1), suits, F)
        if g is not None:
            return lambda v: not g(v)
    m = re.fullmatch(r'(?:the hand (?:has|contains) |there are )?' + CMPRE + r'(?: of the)? cards?(?: that| which)? (?:of|have|has|are of|with|share)(?: of)? (?:a|the|one) (?:same|single|common) (rank|suit)', bare) \
        or re.fullmatch(r'(?:the hand (?:has|contains) |there are )?' + CMPRE + r'(?: of the)? cards?(?: that| which)? (?:of|have|with|share)(?: of)? (?:equal|same) (rank|suit)s?', bare)
    if m:
        w = m.group(1)
        if w in ('two', '2', 'at least two', 'at least 2'):
            d = feature(F, ('dup' if m.group(m.lastindex) == 'rank' else 'suits',))
            return lambda v: max(v[d]) >= 2
        i = feature(F, ('pattern' if m.group(m.lastindex) == 'rank' else 'suitsfull',))
        c = cmp_full(w)
        if c is not None:
            return multi(i, c)
    m = re.fullmatch(r'no (?:two|2)(?: of the)? cards (?:(?:have|are|of|share|with) )+(?:the )?(?:same|equal) (rank|suit)s?', bare)
    if m:
        i = feature(F, ('dup' if m.group(1) == 'rank' else 'suits',))
        return lambda v: max(v[i]) <= 1
    m = re.fullmatch(r'(?:some|any|a|one) (rank|suit) (?:occurs|appears) (?:on )?(.+?)(?: times| cards| of the cards)?', bare)
    if m:
        c = cmp_full(m.group(2).replace('twice', '2'))
        i = feature(F, ('pattern' if m.group(1) == 'rank' else 'suitsfull',))
        if c is not None:
            return lambda v: any(c[0](x) for x in v[i] if x)
    m = re.fullmatch(r'no (rank|suit) (?:occurs|appears) (?:on )?more than (once|twice|one|' + N + r')(?: times?| cards?)?', bare)
    if m:
        i = feature(F, ('pattern' if m.group(1) == 'rank' else 'suitsfull',))
        w = {'once': 1, 'twice': 2}.get(m.group(2))
        w = num(m.group(2)) if w is None else w
        return lambda v: max(v[i]) <= w
    if re.fullmatch(r'(?:the hand (?:has|contains)|there is) (?:at least )?(?:a|one|1) pair(?: of (?:cards (?:of|with) )?(?:equal|the same) ranks?)?', bare):
        i = feature(F, ('dup',))
        return lambda v: max(v[i]) >= 2
    if re.fullmatch(r'(?:the hand (?:has|contains)|there is) no pair(?: of (?:cards of )?(?:equal|the same) ranks?)?', bare):
        i = feature(F, ('dup',))
        return lambda v: max(v[i]) <= 1
    # counts
    m = re.fullmatch(r'(?:(?:the hand|it) (?:has|contains|includes|holds)|there (?:is|are)) ' + CMPRE + r' ((?:even|odd|prime)(?:-ranked)? )?cards?(.*)', bare) \
        or re.fullmatch(CMPRE + r'(?: of the)? ((?:even|odd|prime)(?:-ranked)? )?cards? ((?:is|are|have|has|of|with|belongs? to).*)', bare)
    if m:
        c = cmp_full(re.sub(r' of$', '', m.group(1)))
        gs = m.groups()
        rest = (gs[-1] or '').strip()
        pre = (gs[-2] or '').strip()
        f = filt(rest, suits)
        f2 = filt(pre, suits)
        if c is not None and f is not None and f2 is not None:
            i = feature(F, ('acc', (lambda card: 1 if f(card) and f2(card) else 0)))
            return lambda v: c[0](v[i])
    m = re.fullmatch(r'(?:all|both|each|every|all of|the)(?: of)?(?: the| all)*(?: \d+)? cards? ((?:is|are|have|has).*)', bare) \
        or re.fullmatch(r'the hand (?:has|contains) only cards (.+)', bare)
    if m:
        f = filt(m.group(1), suits)
        if f is None:
            mm = re.fullmatch(r'(?:are|have|has|is) either (.+)', m.group(1))
            if mm:
                f = filt(mm.group(1), suits)
        if f is not None:
            i = feature(F, ('acc', (lambda card: 1 if f(card) else 0)))
            return lambda v: v[i] == n
    m = re.fullmatch(r'(?:none of the|no) cards? ((?:is|are|have|has).*)', bare)
    if m:
        f = filt(m.group(1), suits)
        if f is not None:
            i = feature(F, ('acc', (lambda card: 1 if f(card) else 0)))
            return lambda v: v[i] == 0
    m = re.fullmatch(r'(?:the )?(?:rank (-?\d+)|suit (\w+)) (occurs|does not occur|appears|does not appear)', bare)
    if m:
        f = filt(('of rank ' + m.group(1)) if m.group(1) else ('of the suit ' + m.group(2)), suits)
        if f is not None:
            i = feature(F, ('acc', (lambda card: 1 if f(card) else 0)))
            neg = 'not' in m.group(3)
            return lambda v: (v[i] == 0) == neg
    return None


def distribution(types, n, F, limit):
    """types: sorted list of (rank, suit, count). Counts of hands for each tuple of final features."""
    keys = F['keys']
    si = {x: i for i, x in enumerate(F['suits'])}
    init = []
    for k in keys:
        if k[0] == 'acc':
            init.append(0)
        elif k[0] == 'prod':
            init.append(1)
        elif k[0] in ('suits', 'suitsfull'):
            init.append((0,) * len(F['suits']))
        elif k[0] == 'pattern':
            init.append(((), 0))
        elif k[0] == 'dup':
            init.append((1, 0))
        else:
            init.append(None)
    states = {(0, tuple(init)): 1}
    prev = None
    left = sum(t[2] for t in types)
    for rank, suit, cnt in types:
        if len(states) > 200_000:
            return None
        left -= cnt
        vals = [k[1]((suit, rank)) if k[0] == 'acc' else 0 for k in keys]
        new = {}
        steps = 0
        for (h, st), w in states.items():
            steps += 1
            if steps > 200_000:
                return None
            if rank != prev:
                st = tuple((tuple(sorted(x[0] + ((x[1],) if x[1] else ()))), 0) if k[0] == 'pattern' else (x[0], 0) if k[0] == 'dup' else x
                           for k, x in zip(keys, st))
            for c in range(max(0, n - h - left), min(cnt, n - h) + 1):
                if c == 0:
                    ns = st
                else:
                    out = []
                    for k, x, a in zip(keys, st, vals):
                        t = k[0]
                        if t == 'acc':
                            out.append(x + c * a)
                        elif t == 'prod':
                            out.append(x * rank ** c)
                        elif t in ('suits', 'suitsfull'):
                            q = list(x)
                            q[si[suit]] += c
                            if t == 'suits':
                                q[si[suit]] = min(2, q[si[suit]])
                            out.append(tuple(q))
                        elif t == 'pattern':
                            out.append((x[0], x[1] + c))
                        elif t == 'dup':
                            out.append((2, 0) if x[0] + x[1] + c > 2 else (1, 1))
                        elif t == 'min':
                            out.append(rank if x is None else x)
                        else:
                            out.append(rank)
                    ns = tuple(out)
                key = (h + c, ns)
                new[key] = new.get(key, 0) + w * comb(cnt, c)
        states = new
        prev = rank
    res = []
    for (h, st), w in states.items():
        if h != n:
            continue
        v = tuple((x[0] + ((x[1],) if x[1] else ())) if k[0] == 'pattern' else x[:1] if k[0] == 'dup' else x for k, x in zip(keys, st))
        res.append((v, w))
    return res


def solve(prompt):
    start = 0
    text = prompt.replace('\r', '')
    suits, cards = [], []
    head = re.split(r'\n\s*(?:Draw|A hand|Hands? of|\d+ cards)', text, maxsplit=1)[0]
    for m in re.finditer(r'^[ \t]*(?:[-*][ \t]*)?([A-Za-z][\w \'-]*?)[ \t]*:[ \t]*(-?\d+(?:[ \t]*,[ \t]*-?\d+)*)[ \t]*\.?[ \t]*$', head, re.M):
        suits.append(m.group(1))
        for x in m.group(2).split(','):
            cards.append((m.group(1), int(x)))
    if not cards:
        return None
    m = re.search(r'[Hh]and of (\d+) cards?', text)
    n = int(m.group(1))
    body = text[m.end():]
    body = re.split(r'\n\s*Output format', body)[0]
    F = {'suits': suits, 'n': n, 'keys': [], 'index': {}}
    # sections of bulleted conditions, each with the sentence before it
    sections = []
    intro = ''
    for line in body.split('\n'):
        l = line.strip()
        b = re.match(r'(?:[-*\u2022]|\d+[.)]|\([a-z0-9]\))\s+(.+)', l)
        if b:
            if not sections or sections[-1][2]:
                sections.append([intro, [], False])
                intro = ''
            sections[-1][1].append(b.group(1))
        elif l:
            if sections:
                sections[-1][2] = True
            intro += ' ' + l
    if not sections:
        return None
    given, asked = [], []
    for intro, lines, _ in sections:
        fs = []
        for x in lines:
            g = cond(x, suits, F)
            if g is None:
                return None
            fs.append(g)
        low = intro.lower()
        q = low.rfind('probability')
        tail = low[q:] if q >= 0 else low
        if re.search(r'none of the|no(?:ne)? of (?:these|them)|neither of', tail):
            comb_f = (lambda v, fs=fs: not any(f(v) for f in fs))
        elif re.search(r'not all of|not both', tail):
            comb_f = (lambda v, fs=fs: not all(f(v) for f in fs))
        else:
            mm = re.search(r'(at least|at most|exactly) (one|two|three|four|\d+) of the', tail)
            if mm:
                c = cmp_full(mm.group(1) + ' ' + mm.group(2))[0]
                comb_f = (lambda v, fs=fs, c=c: c(sum(1 for f in fs if f(v))))
            elif re.search(r'(?:does|do) not hold', tail):
                comb_f = (lambda v, fs=fs: not all(f(v) for f in fs))
            else:
                comb_f = (lambda v, fs=fs: all(f(v) for f in fs))
        if re.search(r'given|is known|know that|we are told|it turns out|it is true that|under the condition|provided', low) and \
                (len(sections) > 1):
            given.append(comb_f)
        else:
            asked.append(comb_f)
    if not asked:
        return None
    cnt = {}
    for s, r in cards:
        cnt[(r, s)] = cnt.get((r, s), 0) + 1
    types = [(r, s, cnt[(r, s)]) for r, s in sorted(cnt)]
    dist = distribution(types, n, F, start + 1.7)
    if dist is None:
        return None
    good = total = 0
    for v, w in dist:
        if all(g(v) for g in given):
            total += w
            if all(a(v) for a in asked):
                good += w
    if not total:
        return None
    g = gcd(good, total)
    return '%d/%d' % (good // g, total // g)
