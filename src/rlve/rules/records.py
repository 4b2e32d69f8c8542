"""Rules about problems as records: generated again, and written to JSON and back."""

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from rlve.contract import Problem
from rlve.rules.answers import unchanged
from rlve.rules.mutations import mutants
from rlve.rules.subject import (
    Case,
    Complaint,
    Raised,
    Subject,
    marked,
    per_problem,
    short,
)

ENOUGH_SEEDS = 20  # if this many seeds give the same problem, it is no coincidence


def fingerprint(problem: Problem) -> str:
    """A hash of a problem: its parameters and its prompt."""
    return _hash({"parameters": problem.parameters(), "prompt": problem.prompt()})


def full_fingerprint(problem: Problem) -> str:
    """The same with its worked solution, which must be reproducible as well."""
    return _hash({"problem": fingerprint(problem), "worked": problem.worked()})


def _hash(record: dict[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def reproducible(subject: Subject) -> Iterator[Complaint]:
    """A problem depends only on its arguments, and making it has no side effects."""
    prints: dict[tuple[int, int], str] = {}
    for case in subject.cases():
        print_, complaints = _made_again(subject, case)
        yield from complaints
        if print_ is not None:
            prints[case.difficulty, case.seed] = print_
    yield from _elsewhere(subject, prints)
    for difficulty in subject.levels:
        if _seeds_agree(subject, difficulty):
            yield Complaint(
                message=f"the first {ENOUGH_SEEDS} seeds all give the same problem: use rng",
                difficulty=difficulty,
                evidence=subject.environment.guessable or "",
                excused=subject.environment.guessable is not None,
            )


def _made_again(subject: Subject, case: Case) -> tuple[str | None, list[Complaint]]:
    def work() -> tuple[str, str]:
        again = subject.environment.generate(difficulty=case.difficulty, seed=case.seed)
        again.verify(marked(again.reference() or ""))
        return full_fingerprint(case.problem), full_fingerprint(again)

    before = _global_states()
    prints = subject.attempt("generate(), once more,", case, work)
    after = _global_states()
    if isinstance(prints, Raised):
        again = "the environment raised an exception when used again"
        return None, [case.complain(again, prints.text)]
    found = [
        f"the global state of {name} changed: use only sample()'s rng"
        for name in before
        if before[name] != after[name]
    ]
    if prints[0] != prints[1]:
        found.insert(0, "the same arguments gave a different problem the second time")
    return prints[0], list(map(case.complain, found))


def _global_states() -> dict[str, Any]:
    """Python's global random state and, if numpy is loaded, numpy's."""
    states: dict[str, Any] = {"random": random.getstate()}
    if "numpy" in sys.modules:
        state = sys.modules["numpy"].random.get_state()
        states["numpy.random"] = (state[0], state[1].tobytes(), *state[2:])
    return states


def _elsewhere(subject: Subject, prints: dict[tuple[int, int], str]) -> Iterator[Complaint]:
    """Another process, with another hash seed, makes the same problems in the opposite order."""
    for (difficulty, seed), made in subject.elsewhere.items():
        if made != prints.get((difficulty, seed), made):
            yield Complaint(
                message="another process, with another hash seed, does not make the same problem: "
                "do not depend on set order, hash(), a clock, or what was made before",
                difficulty=difficulty,
                seed=seed,
                evidence=made.text if isinstance(made, Raised) else "",
            )


def _seeds_agree(subject: Subject, difficulty: int) -> bool:
    """Whether many seeds give one problem; a few may agree, as low levels have few problems."""
    seen: set[str] = set()
    number = 0
    for seed in range(ENOUGH_SEEDS):
        if case := subject.case(difficulty, seed):
            print_ = subject.attempt(
                "prompt()", case, lambda case=case: full_fingerprint(case.problem)
            )
            if not isinstance(print_, Raised):
                seen.add(print_)
                number += 1
        if len(seen) > 1:
            return False
    return number == ENOUGH_SEEDS


@per_problem
def round_trip(subject: Subject, case: Case) -> Iterator[Complaint]:
    """A problem survives JSON: the same record, the same prompt, the same verdicts."""
    problem, cls = case.problem, subject.environment
    parameters = problem.parameters()
    try:
        text = json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield case.complain("parameters() is not plain JSON", str(error))
        return
    loaded = json.loads(text)
    if loaded != parameters:
        yield case.complain("parameters() changes in a round trip through JSON")
    copy = cls.from_parameters({**loaded, "a key that no environment has": 0})
    if copy != problem:
        yield case.complain("from_parameters(parameters()) is a different problem")
    if json.dumps(copy.parameters(), sort_keys=True) != json.dumps(parameters, sort_keys=True):
        yield case.complain("the rebuilt problem has different parameters")
    if copy.prompt() != problem.prompt():
        yield case.complain("the rebuilt problem has a different prompt")
    reference, again = subject.reference(case), copy.reference()
    if again != reference:
        yield case.complain(
            "the rebuilt problem has a different reference",
            f"{short(str(reference))} -> {short(str(again))}",
        )
    for answer in ["", *([reference, *mutants(reference)[:8]] if reference is not None else [])]:
        before, after = problem.verify(marked(answer)), copy.verify(marked(answer))
        if before != after:
            yield case.complain(
                "the rebuilt problem gives an answer a different verdict",
                f"{short(answer)}: {before} -> {after}",
            )
    yield from unchanged(case)
