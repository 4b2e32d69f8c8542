import re


def solve(prompt):
    m = re.search(r'the counters are ([^.]*)\.', prompt)
    if not m:
        return None
    cnt = {a: int(b) for a, b in re.findall(r'([A-Z]) = (\d+)', m.group(1))}
    prog = [ln.split() for ln in re.findall(
        r'^\d+: ((?:inc|dec|jz|jmp|halt)\b.*?)\s*$', prompt, re.M)]
    n = len(prog)
    line = 1
    for _ in range(3000000):
        if not 1 <= line <= n:
            return None
        ins = prog[line - 1]
        op = ins[0]
        if op == 'inc':
            cnt[ins[1]] += 1
            line += 1
        elif op == 'dec':
            if cnt[ins[1]]:
                cnt[ins[1]] -= 1
            line += 1
        elif op == 'jz':
            if cnt[ins[1]] == 0:
                line = int(ins[2])
            else:
                line += 1
        elif op == 'jmp':
            line = int(ins[1])
        else:
            return ' '.join(str(cnt[c]) for c in sorted(cnt))
    return None
