"""What a run keeps of its rollouts: all verdicts, and some of the texts."""

from rlve.contract import Verdict
from rlve.pool import Failure
from rlve.train.groups import Group
from rlve.train.history import GroupRecord, GroupSample, SampledOutput


def group_record(group: Group, step: int, advantages: list[float]) -> GroupRecord:
    """All verdicts of a finished group; `advantages` are of the outputs that have one."""
    judged = group.judged
    weights = iter(advantages if any(advantages) else ())
    return GroupRecord(
        step=step,
        environment=group.item.name,
        difficulty=group.item.difficulty,
        seed=group.item.seed,
        verdicts="".join(map(letter, judged)),
        rewards=[0.0 if isinstance(each, Failure) else each.reward for each in judged],
        tokens=[len(rollout.tokens) for rollout in group.rollouts],
        truncated=[i for i, each in enumerate(group.rollouts) if each.ending == "length"],
        advantages=[
            0.0 if isinstance(each, Failure) else round(next(weights), 3)
            for each in (judged if any(advantages) else ())
        ],
    )


def letter(found: Verdict | Failure) -> str:
    """What was found of an output, as groups.jsonl has it."""
    if isinstance(found, Failure):
        return "f"
    if found.correct:
        return "c"
    return "w" if found.well_formed else "i"


def group_sample(group: Group, step: int, most: int) -> GroupSample:
    """A finished group with the best and the worst of its outputs, and others up to so many."""
    found = [
        SampledOutput(rollout.text, rollout.judged, place)
        for place, rollout in enumerate(group.rollouts)
        if isinstance(rollout.judged, Verdict)
    ]
    worst = min(found, key=lambda each: each.verdict.reward)
    best = max(reversed(found), key=lambda each: each.verdict.reward)
    others = [each for each in found if each is not best and each is not worst]
    item = group.item
    return GroupSample(
        step=step,
        environment=item.name,
        difficulty=item.difficulty,
        seed=item.seed,
        prompt=item.problem.prompt(),
        reference=item.problem.reference(),
        rewards=[each.verdict.reward for each in found],
        best=best,
        worst=worst,
        others=others[: max(0, most - 2)],
    )
