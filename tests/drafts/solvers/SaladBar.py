import re


def good(part):
    for letters in (part, part[::-1]):
        balance = 0
        for letter in letters:
            balance += 1 if letter == "p" else -1
            if balance < 0:
                return False
    return True


def read(prompt):
    return next(
        line.strip() for line in prompt.splitlines() if re.fullmatch(r"[jp]+", line.strip())
    )


def longest(text):
    for length in range(len(text), 0, -1):
        for left in range(len(text) - length + 1):
            if good(text[left : left + length]):
                return left, left + length
    return None


def solve(prompt):
    found = longest(read(prompt))
    return None if found is None else f"{found[0]} {found[1]}"


def accepts(prompt, answer):
    text = read(prompt)
    if not re.fullmatch(r"\s*\d+\s+\d+\s*", answer):
        return False
    left, right = map(int, answer.split())
    start, end = longest(text)
    return 0 <= left < right <= len(text) and right - left == end - start and good(text[left:right])
