"""Folders of evaluations that nobody made."""

from pathlib import Path
from random import Random

from msgspec.structs import replace

import rlve
from rlve.datasets.outputs import SampleVerdict, StoredOutput
from rlve.datasets.rows import ProblemRow, write_rows
from rlve.evaluate.backends import Sampling
from rlve.evaluate.questions import Metric, Suite
from rlve.evaluate.results import EvaluationPlan
from rlve.foundation.files import line, pretty
from rlve.foundation.run_folders import OUTPUTS, PLAN, SUITE, VERDICTS

NAMES = ("Sorting", "Division")


def question(name: str, difficulty: int, seed: int) -> ProblemRow:
    """A problem and its answer."""
    problem = rlve.environment(name).generate(difficulty=difficulty, seed=seed)
    return ProblemRow(
        id=f"{name}/{difficulty}/{seed}",
        environment=name,
        parameters=problem.parameters(),
        difficulty=difficulty,
        answer=problem.reference(),
    )


QUESTIONS = [
    replace(question(name, d, seed), id=f"{name}-{d}-{seed}", answer=None)
    for name in NAMES
    for d in (0, 1)
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
    questions: list[ProblemRow] = QUESTIONS,
    metric: Metric = "avg",
    k: int = 1,
    temperature: float = 0.6,
) -> Path:
    """The folder of an evaluation; harder questions are those that others find hard, too."""
    folder.mkdir(parents=True)
    plan = EvaluationPlan(
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
    (folder / PLAN).write_bytes(pretty(plan))
    write_rows(folder / SUITE, questions)
    rng = Random(seed)
    hardness = [Random(q.id).uniform(-0.3, 0.3) for q in questions]
    with (folder / OUTPUTS).open("wb") as outputs, (folder / VERDICTS).open("wb") as verdicts:
        for question, hard in zip(questions, hardness, strict=True):
            for sample in range(samples):
                right = rng.uniform(0, 1) < skill + hard
                output = StoredOutput(question.id, sample, "text", "stop", 3)
                verdict = SampleVerdict(
                    id=question.id,
                    sample=sample,
                    reward=float(right),
                    correct=right,
                    well_formed=True,
                )
                outputs.write(line(output))
                verdicts.write(line(verdict))
    return folder
