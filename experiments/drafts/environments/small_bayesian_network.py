import re
from fractions import Fraction
from itertools import product
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

NAMES = "ABCDEFGH"


def assignments(parents: list[list[int]], tables: list[list[Fraction]]) -> dict[tuple[int, ...], Fraction]:
    """The probability of each assignment of 1 (yes) and 0 (no) to all variables."""
    weights: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for above, table in zip(parents, tables):
        more = {}
        for values, weight in weights.items():
            row = 0
            for parent in above:
                row = 2 * row + values[parent]
            more[values + (1,)] = weight * table[row]
            more[values + (0,)] = weight * (1 - table[row])
        weights = more
    return weights


def posterior(
    parents: list[list[int]], tables: list[list[Fraction]], evidence: list[list[int]], query: int
) -> tuple[Fraction, Fraction]:
    """The probability that the query is yes, without and with the evidence."""
    prior = given = both = Fraction(0)
    for values, weight in assignments(parents, tables).items():
        if values[query]:
            prior += weight
        if all(values[variable] == value for variable, value in evidence):
            given += weight
            if values[query]:
                both += weight
    return prior, both / given


class SmallBayesianNetwork(rlve.Environment[str]):
    """A conditional probability in a Bayesian network of yes-or-no variables."""

    max_difficulty = 20

    parents: list[list[int]]
    tables: list[list[str]]  # for each variable, by the parents' values as a binary number (yes is 1)
    evidence: list[list[int]]  # variable and value (1 is yes, 0 is no)
    query: int
    reference_answer: str

    template = """
        There are {variable_num} random variables, {names}. Each of them is either yes or no. The list below gives for each variable the probability that it is yes; for a variable that depends on others (its parents), it gives this probability for each combination of the values of its parents. With the remaining probability the variable is no.

        {rows}

        The joint probability of values for all the variables is the product, over all variables, of the probability of the variable's value given the values of its parents.

        It is known that {known}. What is the conditional probability, given this, that {query_name} is yes?

        Output format: the probability as a fraction p/q in lowest terms, two positive integers with a slash between them and without spaces, such as 7/12.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "variable_num": 2 + 3 * d // 10,
                "evidence_num": 1 + d // 8,
                "most_parents": 3 if d >= 12 else 2,
                "largest_denominator": 6 + d,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, variable_num: int, evidence_num: int, most_parents: int, largest_denominator: int
    ) -> Self:
        evidence_num = min(evidence_num, variable_num - 1)
        for _ in range(100):
            parents: list[list[int]] = []
            tables: list[list[Fraction]] = []
            below: list[set[int]] = [set() for _ in range(variable_num)]  # the descendants
            for variable in range(variable_num):
                count = rng.randint(1, min(most_parents, variable)) if variable else 0
                above = sorted(rng.sample(range(variable), count))
                base = rng.randint(3, largest_denominator)
                numerators = [rng.randint(1, base - 1) for _ in range(2**count)]
                if count and len(set(numerators)) == 1:
                    numerators[rng.randrange(2**count)] = numerators[0] % (base - 1) + 1
                table = [Fraction(numerator, base) for numerator in numerators]
                parents.append(above)
                tables.append(table)
                for other in range(variable):
                    if other in above or any(parent in below[other] for parent in above):
                        below[other].add(variable)

            query = rng.choice([variable for variable in range(variable_num) if below[variable]])
            chosen = [rng.choice(sorted(below[query]))]
            others = [variable for variable in range(variable_num) if variable not in (query, chosen[0])]
            chosen += rng.sample(others, evidence_num - 1)
            evidence = [[variable, rng.randrange(2)] for variable in sorted(chosen)]

            prior, answer = posterior(parents, tables, evidence, query)
            shown = {entry for table in tables for entry in table}
            if answer.denominator >= 5 and answer != prior and answer not in shown:
                break
        else:
            # All others depend on the first one; with k of them known the answer is 3^k / (3^k + 2).
            parents = [[]] + [[0] for _ in range(variable_num - 1)]
            tables = [[Fraction(1, 3)]] + [[Fraction(1, 4), Fraction(3, 4)] for _ in range(variable_num - 1)]
            evidence = [[variable, 1] for variable in range(1, evidence_num + 1)]
            query = 0
            _, answer = posterior(parents, tables, evidence, query)
        return cls(
            parents=parents,
            tables=[[f"{entry.numerator}/{entry.denominator}" for entry in table] for table in tables],
            evidence=evidence,
            query=query,
            reference_answer=f"{answer.numerator}/{answer.denominator}",
        )

    def prompt(self) -> str:
        words = ["no", "yes"]
        rows = []
        for variable, (above, table) in enumerate(zip(self.parents, self.tables)):
            if not above:
                rows.append(f"{NAMES[variable]}: yes with probability {table[0]}")
                continue
            rows.append(f"{NAMES[variable]} (parents {', '.join(NAMES[parent] for parent in above)}): yes with probability")
            for values, entry in zip(product((0, 1), repeat=len(above)), table):
                case = ", ".join(f"{NAMES[parent]} = {words[value]}" for parent, value in zip(above, values))
                rows.append(f"- {entry} if {case}")
        return self.fill(
            variable_num=str(len(self.parents)),
            names=", ".join(NAMES[: len(self.parents)]),
            rows="\n".join(rows),
            known=" and ".join(f"{NAMES[variable]} is {words[value]}" for variable, value in self.evidence),
            query_name=NAMES[self.query],
        )

    def parse(self, text: str) -> str:
        match = re.fullmatch(r"([0-9]{1,60}) ?/ ?([0-9]{1,60})", " ".join(text_lines(text)).strip())
        if match is None:
            raise rlve.Unparseable("not a fraction p/q")
        return f"{int(match[1])}/{int(match[2])}"

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
