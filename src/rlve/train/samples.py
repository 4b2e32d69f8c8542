"""What a run stores of its rollouts: all verdicts, and some of the texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from statistics import fmean
from typing import Any, Final

from rlve.answers import Marker, extract
from rlve.contract import Verdict
from rlve.dialogue import Dialogue
from rlve.errors import Unparseable
from rlve.gym import mean
from rlve.pool import Failure
from rlve.rewards import INVALID
from rlve.train.groups import Group
from rlve.train.history import GroupRecord, GroupSample, SampledOutput

LONGEST_ANSWER: Final = 100  # characters; a policy that no longer looks at its problems is brief


def group_record(group: Group, step: int) -> GroupRecord:
    """All verdicts of a finished group."""
    judged, outcome = group.judged, group.outcome
    return GroupRecord(
        step=step,
        environment=group.item.name,
        difficulty=group.item.difficulty,
        seed=group.item.seed,
        verdicts="".join(map(letter, judged)),
        rewards=_with_failures(outcome.rewards, judged),
        tokens=[rollout.length for rollout in group.rollouts],
        truncated=[i for i, rollout in enumerate(group.rollouts) if rollout.ending == "length"],
        signal=outcome.signal,
        advantages=_with_failures([round(value, 3) for value in outcome.advantages], judged)
        if outcome.signal
        else [],
    )


def _with_failures(values: Sequence[float], judged: Sequence[Verdict | Failure]) -> list[float]:
    """Values of the outputs with a verdict as values of all, with 0 where judging failed."""
    known = iter(values)
    return [0.0 if isinstance(verdict, Failure) else next(known) for verdict in judged]


def letter(judged: Verdict | Failure) -> str:
    """The letter for a verdict in groups.jsonl."""
    if isinstance(judged, Failure):
        return "f"
    if judged.correct:
        return "c"
    if not judged.well_formed:
        return "i"
    return "r" if judged.reward == INVALID else "w"


def group_sample(group: Group, step: int, most: int) -> GroupSample:
    """A finished group with up to `most` outputs: the best, the worst, and others."""
    judged = [
        (place, rollout.text, rollout.judged)
        for place, rollout in enumerate(group.rollouts)
        if isinstance(rollout.judged, Verdict)
    ]
    outputs = [
        SampledOutput(text, verdict, place, reward)
        for (place, text, verdict), reward in zip(judged, group.outcome.rewards, strict=True)
    ]
    worst = min(outputs, key=lambda output: output.verdict.reward)
    best = max(reversed(outputs), key=lambda output: output.verdict.reward)
    others = [output for output in outputs if output is not best and output is not worst]
    item = group.item
    return GroupSample(
        step=step,
        environment=item.name,
        difficulty=item.difficulty,
        seed=item.seed,
        prompt=item.problem.prompt(),
        reference=item.problem.reference(),
        rewards=group.outcome.rewards,
        signal=group.outcome.signal,
        best=best,
        worst=worst,
        others=others[: max(0, most - 2)],
    )


def same_answers(
    groups: Iterable[Group], marker: Marker
) -> dict[str, dict[str, tuple[int, float]]]:
    """The answers that three in four outputs for a problem gave, as StepMetrics has them."""
    found: dict[str, dict[str, list[float]]] = {}
    for group in groups:
        outputs = [(_answer(rollout.text, marker), v.reward) for rollout, v in group.learnable]
        most = Counter(answer for answer, _ in outputs if answer is not None).most_common(1)
        if not most or most[0][1] < 0.75 * len(group.rollouts):
            continue
        answer = most[0][0]
        reward = fmean(reward for given, reward in outputs if given == answer)
        found.setdefault(group.item.name, {}).setdefault(answer, []).append(reward)
    return {
        name: {answer: (len(rewards), fmean(rewards)) for answer, rewards in answers.items()}
        for name, answers in sorted(found.items())
    }


def turn_metrics(groups: Iterable[Group]) -> dict[str, Any]:
    """The number, quality and length of messages in dialogues, as StepMetrics has them."""
    talks = [
        rollout
        for group in groups
        if isinstance(group.item.problem, Dialogue)
        for rollout in group.rollouts
    ]
    lengths = [[len(message) for message in rollout.messages] for rollout in talks]
    by_turn = [[length for length in turn if length is not None] for turn in zip_longest(*lengths)]
    return {
        "turns": mean(map(len, lengths)),
        "wasted_turns": sum(r.wasted for r in talks) / sum(map(len, lengths)) if talks else None,
        "turn_tokens": [round(fmean(turn), 1) for turn in by_turn],
    }


def _answer(text: str, marker: Marker) -> str | None:
    """The answer that an output marks, if it is a short one."""
    with suppress(Unparseable):
        answer = extract(text, marker).strip()
        return answer if len(answer) <= LONGEST_ANSWER else None
    return None
