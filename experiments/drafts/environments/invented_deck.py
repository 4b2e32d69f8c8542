import re
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

SUITS = ["Moons", "Keys", "Owls", "Waves"]
RELATIONS = ["at least", "exactly", "at most"]
OF_SUIT, SUM, SAME, SUIT_NUM, SPREAD, EVEN = range(6)


def compare(value: int, relation: int, bound: int) -> bool:
    return (value >= bound, value == bound, value <= bound)[relation]


def holds(hand: tuple[tuple[int, int], ...], condition: list[int]) -> bool:
    """Whether a hand of cards (suit, rank) fulfils a condition (kind, relation, bound, suit)."""
    kind, relation, bound, suit = condition
    ranks = [rank for _, rank in hand]
    if kind == OF_SUIT:
        value = sum(1 for card in hand if card[0] == suit)
    elif kind == SUM:
        value = sum(ranks)
    elif kind == SAME:
        value = int(len(set(ranks)) < len(ranks))
    elif kind == SUIT_NUM:
        value = len({card[0] for card in hand})
    elif kind == SPREAD:
        value = max(ranks) - min(ranks)
    else:
        value = sum(1 for rank in ranks if rank % 2 == 0)
    return compare(value, relation, bound)


def chance(
    cards: list[tuple[int, int]], hand_size: int, conditions: list[list[int]]
) -> tuple[Fraction, bool]:
    """The probability of all conditions, and whether each of them changes it."""
    total = right = 0
    only_missing = [False] * len(conditions)  # some hand fulfils all conditions but this one
    for hand in combinations(cards, hand_size):
        total += 1
        missing = [i for i, condition in enumerate(conditions) if not holds(hand, condition)]
        if not missing:
            right += 1
        elif len(missing) == 1:
            only_missing[missing[0]] = True
    return Fraction(right, total), all(only_missing)


def random_condition(rng: Random, kind: int, hand: list[tuple[int, int]], suit_num: int) -> list[int]:
    """A condition of the kind which the hand fulfils."""
    ranks = [rank for _, rank in hand]
    relation = rng.choice((0, 2))
    shift = rng.randint(0, 2) * (-1 if relation == 0 else 1)
    if kind == OF_SUIT:
        suit = rng.randrange(suit_num)
        return [kind, rng.randrange(3), sum(1 for card in hand if card[0] == suit), suit]
    if kind == SUM:
        return [kind, relation, sum(ranks) + shift, 0]
    if kind == SAME:
        return [kind, 1, int(len(set(ranks)) < len(ranks)), 0]
    if kind == SUIT_NUM:
        return [kind, 1, len({card[0] for card in hand}), 0]
    if kind == SPREAD:
        return [kind, relation, max(0, max(ranks) - min(ranks) + shift // 2), 0]
    return [kind, 1, sum(1 for rank in ranks if rank % 2 == 0), 0]


def describe(condition: list[int]) -> str:
    kind, relation, bound, suit = condition
    amount = f"{RELATIONS[relation]} {bound}"
    cards = "card" if bound == 1 else "cards"
    if kind == OF_SUIT:
        return f"the hand has {amount} {cards} of the suit {SUITS[suit]}"
    if kind == SUM:
        return f"the sum of the ranks of all cards in the hand is {amount}"
    if kind == SAME:
        return "at least two cards in the hand have the same rank" if bound else "all cards in the hand have different ranks"
    if kind == SUIT_NUM:
        return f"the cards in the hand are of {amount} different suit{'' if bound == 1 else 's'}"
    if kind == SPREAD:
        return f"the largest rank in the hand minus the smallest rank in the hand is {amount}"
    return f"the hand has {amount} {cards} with an even rank"


class InventedDeck(rlve.Environment[str]):
    """The probability that a hand from an invented deck has a pattern."""

    max_difficulty = 20

    deck: list[list[int]]  # the ranks of each suit
    hand_size: int
    conditions: list[list[int]]  # kind, relation, bound, suit
    reference_answer: str

    template = """
        An invented deck has {card_num} cards in {suit_num} suits. These are the ranks of the cards of each suit (a rank that is listed several times in a suit is on as many different cards):

        {rows}

        A hand of {hand_size} cards is drawn at random from the deck without putting cards back; all sets of {hand_size} of the {card_num} cards are equally likely. What is the probability that {intro}

        {pattern}

        Output format: the probability as a fraction p/q in lowest terms, two positive integers with a slash between them and without spaces, such as 7/12.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "suit_num": 2 + d // 8,
                "fewest_cards": 6 + d // 2,
                "most_cards": 9 + (d + 1) // 2,
                "hand_size": 2 + d // 8,
                "highest_rank": 6 + d // 4,
                "condition_num": 1 + (d >= 6) + (d >= 14),
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        suit_num: int,
        fewest_cards: int,
        most_cards: int,
        hand_size: int,
        highest_rank: int,
        condition_num: int,
    ) -> Self:
        for _ in range(60):
            card_num = rng.randint(fewest_cards, most_cards)
            owners = list(range(suit_num)) * 2
            owners += [rng.randrange(suit_num) for _ in range(card_num - len(owners))]
            deck: list[list[int]] = [[] for _ in range(suit_num)]
            for suit in owners:
                deck[suit].append(rng.randint(1, highest_rank))
            deck = [sorted(ranks) for ranks in deck]
            if any(deck[i] == deck[j] for i in range(suit_num) for j in range(i)):
                continue
            cards = [(suit, rank) for suit, ranks in enumerate(deck) for rank in ranks]

            pool = [OF_SUIT, SUM, SUM, SUM, SAME, SUIT_NUM, SPREAD, SPREAD, EVEN]
            rng.shuffle(pool)
            kinds = list(dict.fromkeys(pool))[:condition_num]
            model = rng.sample(cards, hand_size)
            conditions = [random_condition(rng, kind, model, suit_num) for kind in kinds]

            answer, needed = chance(cards, hand_size, conditions)
            if needed and answer >= Fraction(1, 100) and answer.denominator >= 5:
                break
        else:
            # Two cards of the first suit, the others dealt out to the other suits; at least one of the two is asked.
            deck = [[1, 2]] + [[] for _ in range(suit_num - 1)]
            for card in range(fewest_cards - 2):
                deck[1 + card % (suit_num - 1)].append(1 + card % highest_rank)
            deck = [sorted(ranks) for ranks in deck]
            cards = [(suit, rank) for suit, ranks in enumerate(deck) for rank in ranks]
            conditions = [[OF_SUIT, 0, 1, 0]]
            answer, _ = chance(cards, hand_size, conditions)
        return cls(
            deck=deck,
            hand_size=hand_size,
            conditions=conditions,
            reference_answer=f"{answer.numerator}/{answer.denominator}",
        )

    def prompt(self) -> str:
        rows = [f"{name}: " + ", ".join(map(str, ranks)) for name, ranks in zip(SUITS, self.deck)]
        several = len(self.conditions) > 1
        return self.fill(
            card_num=str(sum(map(len, self.deck))),
            suit_num=str(len(self.deck)),
            rows="\n".join(rows),
            intro="all of the following conditions hold?" if several else "the following condition holds?",
            pattern="\n".join("- " + describe(condition) for condition in self.conditions),
        )

    def parse(self, text: str) -> str:
        match = re.fullmatch(r"([0-9]{1,60}) ?/ ?([0-9]{1,60})", " ".join(text_lines(text)).strip())
        if match is None:
            raise rlve.Unparseable("not a fraction p/q")
        return f"{int(match[1])}/{int(match[2])}"

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
