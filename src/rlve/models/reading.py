"""Reading what somebody else may have made of a model: each fault is one sentence, and soon."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, cast

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.gguf import check_blocks
from rlve.models.locations import check_model, is_gguf, source_of

LAYERS, EXPERTS = re.compile(r"(layer|block)s?$"), re.compile("experts$")
MOST_LAYERS = 1_000
MOST_EXPERTS = 100_000  # in all layers
GATES = ("do_sample", "num_beams", "use_cache", "return_dict_in_generate")


@contextmanager
def reading(what: str) -> Generator[None]:
    """Raise a UserError for whatever goes wrong in the block: what is read there cannot be loaded.

    Readers raise anything if they believe a damaged file.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        text = f"there is no {error}" if isinstance(error, KeyError) else str(error).strip()
        lines = text.splitlines() or [type(error).__name__]
        first = " ".join(map(str.strip, lines[: 2 if lines[0].endswith(":") else 1]))
        raise UserError(f"cannot load {what}: {first}") from error


def reading_model(config: PolicyConfig) -> Any:
    return reading(f"the model {config.model!r}")


def model_settings(config: PolicyConfig) -> Any:
    """The settings of a model, as transformers reads them; none that nobody could build."""
    from transformers import AutoConfig

    check_model(config)
    place, options = source_of(config)
    with reading_model(config):
        if is_gguf(config.model):
            check_blocks(config.model)
        settings = cast(Any, AutoConfig).from_pretrained(place, **options)
        _check_parts(settings.to_dict())
        return settings


def _check_parts(settings: dict[str, Any]) -> None:
    """Refuse more layers and experts than any model has, as transformers would make each of them.

    Mere sizes do no harm: nothing is made of them before they are compared with the weights.
    """
    layers, experts = (
        max((number for name, number in _numbers(settings) if kind.search(name)), default=1)
        for kind in (LAYERS, EXPERTS)
    )
    if layers > MOST_LAYERS:
        raise ValueError(f"it claims to have {layers:,} layers")
    if layers * experts > MOST_EXPERTS:
        raise ValueError(f"it claims to have {experts:,} experts in each of {layers:,} layers")


def _numbers(settings: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The whole numbers in settings and their parts, by name."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _numbers(cast("dict[str, Any]", value))
        elif isinstance(value, int):
            yield str(name), value


def make_valid(generation: Any, vocabulary: int) -> None:
    """Make what a model says about sampling something that can be used, and saved again.

    Many models come with "do_sample": false and a temperature, which transformers loads but refuses
    to save. Such settings have no effect, and are dropped.
    """
    usual = type(generation)()
    for name, value in list(vars(generation).items()):
        alone = type(generation)()
        for gate in GATES:
            setattr(alone, gate, getattr(generation, gate))
        setattr(alone, name, value)
        try:
            alone.validate(strict=True)
        except ValueError:
            setattr(generation, name, getattr(usual, name))
    generation.validate(strict=True)
    listed = generation.eos_token_id
    for token in cast("list[object]", listed if isinstance(listed, list) else [listed]):
        known = isinstance(token, int) and not isinstance(token, bool) and 0 <= token < vocabulary
        if token is not None and not known:
            raise ValueError(f"its eos_token_id {token!r:.40} is none of its {vocabulary:,} tokens")
