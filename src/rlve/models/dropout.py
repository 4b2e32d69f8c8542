"""Models without dropout: the distribution that is trained must be the one sampled from."""

from typing import Any, cast


def without_dropout(config: Any) -> Any:
    """The settings of a transformers model, with all dropout rates set to 0."""
    parts: list[Any] = [config, config.get_text_config()]  # often the same
    for part in parts:
        settings = cast(dict[str, object], vars(part))
        for name, value in list(settings.items()):
            if "drop" in name and isinstance(value, float):
                setattr(part, name, 0.0)
    return config
