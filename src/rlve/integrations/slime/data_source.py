"""A data source for slime: it draws problems from the curriculum and keeps unfinished groups.

In a training step slime calls, in this order,

    get_samples       as often as it needs problems; unfinished groups come first
    keep_group        for each finished group: whether to train on it
    count_samples     once, with every finished group: the curriculum moves
    add_samples       once, with the unfinished groups (partial rollouts)
    save              every few steps

slime's own sources do not save unfinished groups. This one does: a resumed run continues with the
same problems, the same curriculum and the same half-written outputs.
"""

import logging
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import msgspec

from rlve.errors import UserError
from rlve.formats import Prompt
from rlve.foundation.files import append_line, replacing
from rlve.gym import Gym
from rlve.integrations.slime.reward import KEY, LATE, judged_of, row_of
from rlve.integrations.slime.settings import read_settings
from rlve.pool import Failure
from rlve.stream import Item

UNFINISHED = ("pending", "aborted")  # the values of slime's Sample.Status
METRICS = "rlve_metrics.jsonl"

_log = logging.getLogger(__name__)


class DataSource:
    """Problems for slime, and the curriculum between its training steps.

    args  slime's arguments; it uses n_samples_per_prompt, rollout_seed, rollout_max_prompt_len,
          hf_checkpoint, apply_chat_template_kwargs, num_rollout, rollout_batch_size,
          over_sampling_batch_size, save, load
    """

    def __init__(self, args: Any) -> None:
        self.args = args
        settings = read_settings()
        self.gym = Gym(
            settings.environments,
            group=args.n_samples_per_prompt,
            seed=args.rollout_seed,
            format=settings.format,
            signal=settings.signal,
            curriculum=settings,
            max_prompt_length=getattr(args, "rollout_max_prompt_len", None),
            length=self._length,
            pool=settings.pool(),
        )
        at_once = getattr(args, "over_sampling_batch_size", None) or args.rollout_batch_size
        self.most = settings.rounds * at_once  # problems, before groups without signal are kept
        self.drawn = 0  # in this step
        self.buffer: list[list[Any]] = []  # unfinished groups
        self.steps = 0
        self._groups = 0  # given out so far
        self._samples = 0

    # What slime calls.

    def get_samples(self, num_samples: int) -> list[list[Any]]:
        """Groups of samples: unfinished ones first, then new ones."""
        unfinished = self.buffer[:num_samples]
        new = self.gym.take(num_samples - len(unfinished))
        self.buffer = self.buffer[num_samples:]
        groups = unfinished + [self._group(item) for item in new]
        for group in groups:
            self.drawn += 1
            group[0].metadata[KEY][LATE] = self.drawn > self.most
        return groups

    def add_samples(self, samples: list[list[Any]]) -> None:
        """Keep unfinished groups."""
        self.buffer += samples

    def save(self, rollout_id: int) -> None:
        """Write everything that load() needs."""
        if self.args.save is None:
            raise UserError("there is nowhere to save the state of rlve: slime needs --save FOLDER")
        path = _state_path(self.args.save, rollout_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Plain values: a pickle would run the code of whoever wrote it.
        buffer = [[sample.to_dict() for sample in group] for group in self.buffer]
        state = _State(self.gym.state_dict(), self.steps, self._groups, self._samples, buffer)
        with replacing(path) as file:
            file.write(msgspec.msgpack.encode(state))

    def load(self, rollout_id: int | None = None) -> None:
        """Continue after a rollout; the first rollout of a run starts afresh."""
        from slime.utils.types import Sample

        if self.args.load is None or rollout_id is None or rollout_id < 0:
            return
        path = _state_path(self.args.load, rollout_id)
        try:
            state = msgspec.msgpack.decode(path.read_bytes(), type=_State)
            buffer = [[Sample.from_dict(sample) for sample in group] for group in state.buffer]
        except FileNotFoundError:
            raise UserError(
                f"the weights are from after rollout {rollout_id}, but the matching curriculum, "
                f"{path}, is missing; --start-rollout-id 0 starts a new one"
            ) from None
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            raise UserError(f"{path} is damaged: {error}") from None
        for group in buffer:
            if len(group) != self.gym.group:
                raise UserError(
                    f"an unfinished group has {len(group)} samples, but --n-samples-per-prompt is "
                    f"{self.gym.group}"
                )
        self.gym.load_state_dict(state.gym)
        self.buffer = buffer
        self.steps, self._groups, self._samples = state.steps, state.groups, state.samples

    def __len__(self) -> int:
        """The number of problems in all batches; the supply itself is endless."""
        if self.args.num_rollout is None:
            raise UserError("problems never run out: slime needs --num-rollout STEPS")
        return self.args.num_rollout * self.args.rollout_batch_size

    # What count_samples calls.

    def count(self, groups: Iterable[list[Any]]) -> dict[str, float]:
        """Count every finished group once, end the training step, and return the metrics.

        Samples that could not be judged now get the mean reward of their group.
        """
        for group in groups:
            metadata = group[0].metadata[KEY]
            if any(_status(sample) in UNFINISHED for sample in group) or metadata.get("counted"):
                continue
            row, judged = row_of(group[0]), [judged_of(sample) for sample in group]
            rewards, _ = self.gym.count(*row.cell, judged)
            metadata["counted"] = True
            for sample, result, reward in zip(group, judged, rewards, strict=True):
                if isinstance(result, Failure):
                    sample.reward = reward
        self.steps += 1
        self.drawn = 0
        metrics = self.gym.step().flat()
        _log.info("rlve, step %d: %s", self.steps, metrics)
        if self.args.save is not None:
            folder = Path(self.args.save)
            folder.mkdir(parents=True, exist_ok=True)
            append_line(folder / METRICS, {"step": self.steps} | metrics)
        return metrics

    # How a sample is made.

    def _group(self, item: Item) -> list[Any]:
        from slime.utils.types import Sample

        prompt, group = self._text(self.gym.prompt(item)), []
        for _ in range(self.gym.group):
            # Each sample has its own dict, because its verdict will go into it.
            metadata = {KEY: self.gym.row(item).as_dict()}
            group.append(
                Sample(
                    group_index=self._groups, index=self._samples, prompt=prompt, metadata=metadata
                )
            )
            self._samples += 1
        self._groups += 1
        return group

    def _text(self, prompt: Prompt) -> str:
        """The prompt as slime tokenizes it."""
        if isinstance(prompt, str):
            return prompt
        options = getattr(self.args, "apply_chat_template_kwargs", None) or {}
        return cast(
            str,
            self._tokenizer.apply_chat_template(
                prompt, tokenize=False, add_generation_prompt=True, **options
            ),
        )

    def _length(self, problem: str) -> int:
        text = self._text(self.gym.format.wrap(problem))
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self.args.hf_checkpoint, trust_remote_code=False)


def count_samples(args: Any, all_groups: list[list[Any]], data_source: Any, **_: Any) -> None:
    """Count every finished group of a training step, and move the curriculum.

    slime passes its source's bound method get_samples as `data_source`.
    """
    source = getattr(data_source, "__self__", data_source)
    if not isinstance(source, DataSource):
        raise UserError(
            "slime needs --data-source-path rlve.integrations.slime.DataSource, but its source is "
            f"a {type(source).__name__}"
        )
    source.count(all_groups)


class _State(msgspec.Struct, forbid_unknown_fields=True):
    gym: dict[str, Any]
    steps: int
    groups: int
    samples: int
    buffer: list[list[dict[str, Any]]]


def _state_path(folder: str, rollout_id: int) -> Path:
    return Path(folder) / "rollout" / f"rlve_{rollout_id}.msgpack"


def _status(sample: Any) -> str:
    return str(getattr(sample.status, "value", sample.status))
