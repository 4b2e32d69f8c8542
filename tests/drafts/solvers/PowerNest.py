import re


def write(number):
    powers = [k for k in reversed(range(number.bit_length())) if number >> k & 1]
    return "+".join("2(0)" if k == 0 else "2" if k == 1 else f"2({write(k)})" for k in powers)


def solve(prompt):
    return write(int(re.search(r"Write (\d+) by these rules", prompt)[1]))
