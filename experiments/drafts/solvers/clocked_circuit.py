import re


def solve(prompt):
    inputs = dict(re.findall(r'^(X\d+): ([01]+)\s*$', prompt, re.M))
    gates = {}
    for g, rest in re.findall(r'^(G\d+) = (.+?)\s*$', prompt, re.M):
        gates[g] = rest.split()
    flops = {}
    for q, v, d in re.findall(r'^(Q\d+): initial value ([01]), data signal ([XGQ]\d+)\s*$',
                              prompt, re.M):
        flops[q] = (int(v), d)
    om = re.search(r'outputs are Y = ([XGQ]\d+) and Z = ([XGQ]\d+)', prompt)
    tm = re.search(r'two words of (\d+) digits', prompt)
    if not (om and tm):
        return None
    ticks = int(tm.group(1))
    cur = {q: v for q, (v, d) in flops.items()}
    ys, zs = [], []
    for t in range(ticks):
        val = dict(cur)
        for x in inputs:
            val[x] = int(inputs[x][t])
        left = list(gates)
        while left:
            rest = []
            for g in left:
                e = gates[g]
                ops = e[1:] if e[0] == 'NOT' else [e[0], e[2]]
                if any(o not in val for o in ops):
                    rest.append(g)
                    continue
                if e[0] == 'NOT':
                    r = 1 - val[e[1]]
                else:
                    a, b = val[e[0]], val[e[2]]
                    r = {'AND': a & b, 'OR': a | b, 'XOR': a ^ b,
                         'NAND': 1 - (a & b), 'NOR': 1 - (a | b),
                         'XNOR': 1 - (a ^ b)}[e[1]]
                val[g] = r
            if len(rest) == len(left):
                return None
            left = rest
        ys.append(str(val[om.group(1)]))
        zs.append(str(val[om.group(2)]))
        cur = {q: val[d] for q, (v, d) in flops.items()}
    return ''.join(ys) + ' ' + ''.join(zs)
