"""A data set for verl: problems drawn from the live curriculum when verl asks for them.

    data.custom_cls.path=pkg://rlve.integrations.verl.dataset  data.custom_cls.name=ProblemDataset
    data.train_files=[C16]                  names of environments and collections
    data.val_files=[held_out.jsonl]         files written by `rlve dataset`, or null
    +data.rlve.group=16  +data.rlve.format=chat  ...                      see Settings

Nothing is drawn in advance here (data.dataloader_num_workers=0). How long a problem then waits
before it is trained on is up to verl: see docs/trainers.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch.utils.data import Dataset

from rlve.datasets.rows import read_rows
from rlve.datasets.transfer import travelling_row
from rlve.errors import UserError
from rlve.formats import Format, Prompt, prompt_format
from rlve.foundation.files import settings_from
from rlve.gym import Gym, GymSettings
from rlve.integrations.verl.agent_loop import AGENT  # verl's workers know the loop by this import
from rlve.integrations.verl.ledger import SOURCE, Ledger
from rlve.registry import DIALOGUE, family
from rlve.stream import Item

ENDLESS = 10**12  # verl needs a length, and counts epochs by it
FILES = (".jsonl", ".parquet")


@dataclass(frozen=True, kw_only=True)
class Settings(GymSettings):
    """data.rlve: how problems are drawn and put to the model."""

    group: int
    seed: int = 0


class ProblemDataset(Dataset[dict[str, Any]]):
    """Live problems for training; the fixed problems of files for validation.

    verl creates one of each without saying which is which: if the names are environments, the
    problems are live; if they are files, they are fixed.
    """

    def __init__(
        self,
        data_files: str | Sequence[str] | None,
        tokenizer: Any,
        config: Any,
        processor: Any = None,
        max_samples: int = -1,
    ) -> None:
        settings = _settings(config)
        self._format = prompt_format(settings.format)
        self._signal = settings.signal
        self._deadline = settings.deadline
        self._tokenizer = tokenizer
        self._template = dict(config.get("apply_chat_template_kwargs") or {})
        self.ledger: Ledger | None = None
        self._fixed: list[Item] = []
        names = [data_files] if isinstance(data_files, str) else list(data_files or ())
        files = [name for name in names if name.endswith(FILES)]
        if files:
            if len(files) < len(names):
                raise UserError(f"give names of environments or files, not both: {names}")
            self._fixed = [item for name in files for item in _items(Path(name))]
            self._fixed = self._fixed[: max_samples if max_samples > 0 else None]
        elif names:
            if config.dataloader_num_workers or config.shuffle:
                raise UserError(
                    "problems are drawn in order, in the process that owns the curriculum: set "
                    "data.dataloader_num_workers=0 and data.shuffle=False"
                )
            _check_template(tokenizer, self._format)
            gym = Gym(
                names,
                max_prompt_length=config.max_prompt_length,
                length=lambda text: len(self._tokens(self._format.wrap(text))),
                group=settings.group,
                seed=settings.seed,
                format=settings.format,
                signal=settings.signal,
                curriculum=settings,
                workers=settings.workers,
                deadline=settings.deadline,
                dialogues=True,
            )
            self.ledger = Ledger(gym)
        drawn = {item.name for item in self._fixed}
        if self.ledger is not None:
            drawn |= {*self.ledger.gym.curriculum.names}
        self._dialogues = any(family(name) == DIALOGUE for name in drawn)

    def __len__(self) -> int:
        return len(self._fixed) if self.ledger is None else ENDLESS

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """As many problems as verl asks for; the indices of live ones are ignored."""
        if self.ledger is None:
            return [self._row(self._fixed[index]) for index in indices]
        return [self._row(item) for item in self.ledger.gym.take(len(indices))]

    def state_dict(self) -> dict[str, Any]:
        """What verl writes to data.pt; fixed problems have no state."""
        return {} if self.ledger is None else self.ledger.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        if self.ledger is not None:
            self.ledger.load_state_dict(state)

    def _row(self, item: Item) -> dict[str, Any]:
        prompt = self._format.render(item.problem)
        row = travelling_row(item, self._format.marker)
        return {
            # Text goes through a chat template that leaves it as it is.
            "raw_prompt": [{"role": "user", "content": prompt}]
            if isinstance(prompt, str)
            else prompt,
            "data_source": SOURCE + item.name,
            "reward_model": {"ground_truth": msgspec.json.encode(row).decode()},
            "extra_info": {
                "signal": self._signal,
                "deadline": self._deadline,
                "index": item.position,
                "split": "test" if self.ledger is None else "train",
            },
            "index": item.position,
            "tools_kwargs": {},
            "interaction_kwargs": {},
            "dummy_tensor": torch.tensor([0], dtype=torch.uint8),  # verl needs some tensor
        } | ({"agent_name": AGENT} if self._dialogues else {})

    def _tokens(self, prompt: Prompt) -> list[int]:
        if isinstance(prompt, str):
            return _text_tokens(self._tokenizer, prompt)
        ids = self._tokenizer.apply_chat_template(
            prompt, add_generation_prompt=True, return_dict=False, **self._template
        )
        return list(ids)


def _settings(config: Any) -> Settings:
    from omegaconf import OmegaConf

    given = config.get("rlve")
    if given is None:
        raise UserError("verl's configuration lacks data.rlve: set at least +data.rlve.group=16")
    return settings_from(Settings, OmegaConf.to_container(given, resolve=True), what="data.rlve")


def _check_template(tokenizer: Any, format: Format) -> None:
    """Check that for a text format the chat template adds only what the tokenizer adds."""
    prompt = format.wrap("1 + 1")
    if not isinstance(prompt, str):
        return
    wanted = _text_tokens(tokenizer, prompt)
    given: list[int] | None = None
    if tokenizer.chat_template is not None:
        given = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], add_generation_prompt=True, return_dict=False
        )
    if given is None or list(given) != wanted:
        raise UserError(
            f"the format {format.name} is text, so the chat template must leave it unchanged: set "
            "actor_rollout_ref.model.custom_chat_template to the one that `rlve verl` prints, "
            "with {{ bos_token }} before it if the tokenizer starts a text with that token"
        )


def _text_tokens(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text)["input_ids"])


def _items(path: Path) -> Iterable[Item]:
    """The problems of a file written by `rlve dataset`."""
    if not path.exists():
        raise UserError(f"there is no file {path}")
    for position, (number, row) in enumerate(read_rows(path)):
        try:
            item = row.item(position)
        except UserError as error:
            raise UserError(f"{path}:{number} was not written by `rlve dataset`: {error}") from None
        yield item
