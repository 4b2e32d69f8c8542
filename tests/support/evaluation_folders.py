"""Folders of evaluations that nobody made."""

from pathlib import Path
from random import Random

import msgspec

import rlve
from rlve.evaluate.backends import Sampling
from rlve.evaluate.results import OUTPUTS, PLAN, SUITE, VERDICTS, Plan, StoredOutput, StoredVerdict
from rlve.evaluate.suite import Metric, Question, Suite, write_questions

NAMES = ("Sorting", "Division")
QUESTIONS = [
    Question(
        id=f"{name}-{difficulty}-{seed}",
        environment=name,
        parameters=rlve.environment(name).generate(difficulty=difficulty, seed=seed).parameters(),
        difficulty=difficulty,
    )
    for name in NAMES
    for difficulty in (0, 1)
    for seed in range(5)
]


def write(
    folder: Path,
    skill: float,
    *,
    model: str = "m",
    suite: str = "few",
    samples: int = 4,
    seed: int = 0,
    questions: list[Question] = QUESTIONS,
    metric: Metric = "avg",
    k: int = 1,
    temperature: float = 0.6,
) -> Path:
    """The folder of an evaluation; harder questions are those that others find hard, too."""
    folder.mkdir(parents=True)
    plan = Plan(
        suite=suite,
        sha=Suite(suite, questions).sha,
        metric=metric,
        k=k,
        deadline=10,
        model=model,
        backend="fake",
        format="plain",
        samples=samples,
        sampling=Sampling(temperature=temperature),
        version="0",
    )
    (folder / PLAN).write_bytes(msgspec.json.encode(plan))
    write_questions(folder / SUITE, questions)
    rng = Random(seed)
    hardness = [Random(q.id).uniform(-0.3, 0.3) for q in questions]
    with (folder / OUTPUTS).open("wb") as outputs, (folder / VERDICTS).open("wb") as verdicts:
        for question, hard in zip(questions, hardness, strict=True):
            for sample in range(samples):
                right = rng.uniform(0, 1) < skill + hard
                output = StoredOutput(question.id, sample, "text", "stop", 3)
                verdict = StoredVerdict(question.id, sample, float(right), right, True)
                outputs.write(msgspec.json.encode(output) + b"\n")
                verdicts.write(msgspec.json.encode(verdict) + b"\n")
    return folder
