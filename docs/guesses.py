"""Measures what thoughtless strategies earn, and writes docs/results/gym/guesses.json and .md.

python docs/guesses.py                for all environments; it takes three minutes
python docs/guesses.py CRT LCM        for these, and leaves the others as they are
"""

import json
import sys
from pathlib import Path
from typing import Any

from rlve.catalogue import CATALOGUE
from rlve.contract import Problem, Verdict
from rlve.registry import environment
from rlve.rules.strategies import LEVELS, PROBLEMS, Earnings, Question, earnings
from rlve.rules.subject import marked

FILE = Path(__file__).parent / "results" / "gym" / "guesses.json"
OFTEN = 1 / 3

HEAD = """# What thoughtless strategies earn

A panel of strategies that look at the prompt and solve nothing (a constant that was right for other
problems of the level, a copied number, sums, differences and products of two, the input sorted or
reversed, 1 to n, ones, a checkerboard, a token, a median) is tried on {problems} problems of each
level. The best one is chosen on one half of them and measured on the other. `right` is how often
the strategy that is most often right is right; `reward` is the mean reward of the strategy with the
highest one, where -1 is the least and 1 the most.

    python docs/guesses.py

{summary}
| environment | d | right | by | reward | by |
| --- | --- | --- | --- | --- | --- |
"""


def stored() -> dict[str, dict[str, Any]]:
    """The table, by environment and difficulty ("CRT/3")."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def measure(name: str) -> dict[str, Earnings]:
    """What the best strategies earn at the levels that an environment has."""
    cls = environment(name)
    highest = cls.max_difficulty
    found: dict[str, Earnings] = {}
    for difficulty in LEVELS:
        if highest is None or difficulty <= highest:
            problems = (cls.generate(difficulty=difficulty, seed=seed) for seed in range(PROBLEMS))
            found[f"{name}/{difficulty}"] = earnings([question(problem) for problem in problems])
    return found


def question(problem: Problem) -> Question:
    def judge(text: str) -> Verdict:
        return problem.verify(marked(text))

    return Question(problem.prompt(), problem.reference(), judge)


def page(table: dict[str, dict[str, Any]]) -> str:
    """The table as a page."""
    rows: list[str] = []
    counts = dict.fromkeys(map(str, LEVELS), 0)
    for key, row in table.items():
        name, _, difficulty = key.partition("/")
        share = row["wins"] / row["tried"]
        counts[difficulty] += share > OFTEN
        rows.append(
            f"| {name} | {difficulty} | {share:.0%} | {row['strategy']} | {row['reward']:.2f} | "
            f"{row['shaped']} |\n"
        )
    summary = "".join(
        f"At d = {difficulty}, {count} environments have a strategy that is right in more than a "
        "third.\n"
        for difficulty, count in counts.items()
    )
    return HEAD.format(problems=PROBLEMS, summary=summary) + "".join(rows)


def main(names: list[str]) -> None:
    table = stored()
    for name in names or sorted(CATALOGUE):
        table |= {key: value._asdict() for key, value in measure(name).items()}
    table = {key: table[key] for key in sorted(table, key=_order)}
    lines = (f"{json.dumps(key)}: {json.dumps(row)}" for key, row in table.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    FILE.with_suffix(".md").write_text(page(table))


def _order(key: str) -> tuple[str, int]:
    name, _, difficulty = key.partition("/")
    return name, int(difficulty)


if __name__ == "__main__":
    main(sys.argv[1:])
