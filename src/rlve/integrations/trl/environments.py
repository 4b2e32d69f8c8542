"""Problems as TRL's environments: the model answers by calls of a tool, as often as it may.

    options = rlve_environments(["D4"], group=args.num_generations)
    trainer = GRPOTrainer(model="Qwen/Qwen3-0.6B", args=args, **options)

TRL repeats each row of the data set for all rollouts of a group. A row holds a seed, and seed and
curriculum say which problem it stands for, so that the whole group meets the same problem, on any
number of ranks. Whatever is counted, is counted on all ranks.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from rlve.contract import Problem, Verdict
from rlve.curricula import Curriculum, CurriculumSettings
from rlve.dialogue import Dialogue, conversation
from rlve.errors import UserError, require
from rlve.gym import Gym
from rlve.integrations.replies import reply_to
from rlve.integrations.trl.checkpoints import checkpoint_callback
from rlve.pool import Failure, Request, shared_pool
from rlve.registry import environment
from rlve.text import counted

TRIES: Final = 20  # problems to draw for a row until one can be made


def rlve_environments(
    environments: str | Iterable[str],
    *,
    group: int,
    curriculum: CurriculumSettings | Curriculum = CurriculumSettings(),  # noqa: B008  frozen
    problems: int = 10_000,
    deadline: float = 10.0,
) -> dict[str, Any]:
    """The arguments of a GRPOTrainer that trains on these environments, dialogues or not.

    group     rollouts per problem: args.num_generations
    problems  rows of the data set: how many problems are drawn before seeds come again
    deadline  seconds for a problem, a reply or a verdict
    """
    require("trl", extra="trl", at_least="1.16", below="1.17")
    from datasets import Dataset

    gym = Gym(
        environments,
        group=group,
        curriculum=curriculum,
        ahead=0,
        pool=shared_pool(deadline=deadline),
        dialogues=True,
    )
    prompt = [{"role": "user", "content": ""}]  # TRL appends what `reset` returns
    rows = {"prompt": [prompt] * problems, "seed": list(range(problems))}
    return {
        "environment_factory": partial(ToolEnvironment, gym.curriculum, deadline),
        "train_dataset": Dataset.from_dict(rows),
        "reward_funcs": _reward_function(gym),
        "callbacks": [checkpoint_callback(gym)],
    }


class ToolEnvironment:
    """One rollout: a conversation with the problem of its row. Its public methods are tools."""

    def __init__(self, curriculum: Curriculum, deadline: float = 10.0) -> None:
        self._curriculum = curriculum
        self._deadline = deadline
        self.key = (0, "", 0)  # what a group shares: seed, environment and difficulty
        self._problem: Problem | None = None
        self._messages: list[str] = []
        self._judged: Verdict | Failure | None = None  # once it is over

    def reset(self, seed: int, **others: Any) -> str:
        """Begin with the problem of a row; what the model is told."""
        rng = Random(f"rlve trl/{seed}")
        pool = shared_pool(deadline=self._deadline)
        for _ in range(TRIES):
            name, difficulty = self._curriculum.draw(rng)
            request = Request(environment(name), difficulty, rng.getrandbits(48))
            [made] = pool.generate([request])
            if not isinstance(made, Failure):
                self.key = seed, name, difficulty
                self._problem, self._messages, self._judged = made, [], None
                return _prompt(made)
        raise UserError(f"none of {TRIES} problems that were drawn could be made: see rlve check")

    def answer(self, text: str) -> str:
        """
        Give the answer to the problem or, if it answers back, make the next move.

        Args:
            text: The answer or the move, in the output format that the problem asks for.

        Returns:
            What comes back.
        """
        if self._problem is None or self._judged is not None:
            raise ValueError("It is over: no further answer is taken.")
        marked = self._problem.marked and not isinstance(self._problem, Dialogue)
        # A model can also send a number.
        self._messages.append(str(text) if marked else f"<answer>{text}</answer>")
        pool = shared_pool(deadline=self._deadline)
        reply = reply_to(self._problem, self._messages, pool=pool)
        if isinstance(reply, Failure):
            self._judged = reply
            return "The answer could not be judged."
        self._judged = reply.verdict
        return reply.text or "Thank you."

    @property
    def outcome(self) -> Verdict | Failure:
        """The verdict; what is left unfinished is lost."""
        if self._problem is None:
            raise UserError("there is nothing to judge: call reset first")
        if self._judged is None:
            pool = shared_pool(deadline=self._deadline)
            [self._judged] = pool.judge([(self._problem, conversation(self._messages))])
        return self._judged


def _prompt(problem: Problem) -> str:
    """The problem, and how it is answered."""
    if not isinstance(problem, Dialogue):
        where = "" if problem.marked else ", in the output format given above and nothing else"
        return f"{problem.prompt()}\n\nGive your answer by calling the tool `answer`{where}."
    return (
        f"{problem.opening()}\n\nThis is a dialogue. You may make {counted(problem.turns, 'move')},"
        " each by calling the tool `answer`, and you get a reply to each. A move that cannot be "
        "read or is not allowed is also counted."
    )


def _reward_function(gym: Gym) -> Callable[..., list[float]]:
    """Counts the rollouts of all ranks, steps the curriculum, and returns this rank's rewards."""
    from accelerate.utils import gather_object

    def rlve(
        environments: Sequence[ToolEnvironment],
        log_metric: Callable[[str, float], None],
        **others: Any,
    ) -> list[float]:
        own = [each.outcome for each in environments]
        groups: dict[tuple[int, str, int], list[Verdict | Failure]] = {}
        for key, judged in gather_object(
            [(e.key, judged) for e, judged in zip(environments, own, strict=True)]
        ):
            groups.setdefault(key, []).append(judged)
        rewards: dict[tuple[int, str, int], list[float]] = {}
        for key, judged in sorted(groups.items(), key=lambda item: item[0]):
            _, name, difficulty = key
            rewards[key], _ = gym.count(name, difficulty, judged)
        for name, value in gym.step().flat().items():
            log_metric(name, value)
        return [
            rewards[each.key][groups[each.key].index(judged)]
            for each, judged in zip(environments, own, strict=True)
        ]

    return rlve
