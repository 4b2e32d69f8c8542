import re


def solve(prompt):
    part = prompt.rsplit('The program is:', 1)[-1]
    prog = [(m.group(2), int(m.group(3)) if m.group(3) else None)
            for m in re.finditer(r'^(\d+): ([A-Z]+)(?: (\d+))?\s*$', part, re.M)]
    n = len(prog)
    if n == 0:
        return None
    need = {'DUP': 1, 'POP': 1, 'JZ': 1, 'JNZ': 1, 'SWAP': 2, 'OVER': 2,
            'ADD': 2, 'SUB': 2, 'MUL': 2, 'ROT': 3, 'PUSH': 0, 'JMP': 0}
    st = []
    line = 1
    for _ in range(1000000):
        if line == n + 1:
            return ' '.join(map(str, st))
        if not 1 <= line <= n:
            return None
        op, k = prog[line - 1]
        if op not in need:
            return None
        line += 1
        if len(st) < need[op]:
            continue
        if op == 'PUSH':
            st.append(k)
        elif op == 'DUP':
            st.append(st[-1])
        elif op == 'SWAP':
            st[-1], st[-2] = st[-2], st[-1]
        elif op == 'OVER':
            st.append(st[-2])
        elif op == 'ROT':
            st.append(st.pop(-3))
        elif op == 'POP':
            st.pop()
        elif op in ('ADD', 'SUB', 'MUL'):
            b = st.pop()
            a = st.pop()
            r = a + b if op == 'ADD' else a - b if op == 'SUB' else a * b
            st.append(r % 100)
        elif op == 'JMP':
            line = k
        elif op == 'JZ':
            if st.pop() == 0:
                line = k
        elif op == 'JNZ':
            if st.pop() != 0:
                line = k
    return None
