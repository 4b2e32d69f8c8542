"""The settings of a run in a YAML or JSON file: written as a template, and read on top of a preset.

    preset: small
    load: roman_sum.py
    policy:
      model: Qwen/Qwen2.5-0.5B-Instruct
    data:
      environments: RomanSum

A file holds only the settings it changes. The config.json of a run holds all of them.
"""

import ast
import difflib
import inspect
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
import yaml

from rlve.errors import UserError
from rlve.foundation.files import read_whole, settings_from
from rlve.foundation.run_folders import CONFIG, LOCK
from rlve.foundation.tables import explain
from rlve.train.config import Config

INDENT = "  "
WIDTH = 100
SETTINGS = 2**20  # bytes of a file of settings, at most

C = TypeVar("C")


class SettingsFile(NamedTuple):
    """What a file of settings says."""

    settings: dict[str, dict[str, Any]]  # by section
    preset: str | None = None  # on which they are based
    load: tuple[str, ...] = ()  # the user's own code that defines what they name


def read_settings(path: Path, kind: type = Config) -> SettingsFile:
    """The settings in a file; a UserError if one of them does not exist.

    kind   what they are settings of: Config, or TeachingConfig
    """
    try:
        text = read_whole(path, SETTINGS).decode()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not a text file: {error}") from None
    try:
        # safe_load only builds plain values, whatever the file asks for.
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    # Both also let through what Python says of a number, a date or a word that is none.
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    presets, load = (), ()
    if isinstance(content, dict):
        presets = _texts(path, content, "preset") if kind is Config else ()
        load = _texts(path, content, "load")
    if len(presets) > 1:
        raise UserError(f"{path}: there can be only one preset")
    if load and path.suffix == ".json":  # which people send each other, and seldom read
        raise UserError(f"{path} names code, {load[0]}: if you trust it, add --load {load[0]}")
    settings = {
        section: dict(_checked(path, section, values, get_type_hints(kind)[section]))
        for section, values in _sections(path, content or {}, kind)
    }
    if path.name == CONFIG and (path.parent / LOCK).exists():
        settings.get("run", {}).pop("folder", None)  # a run's own: repeat it in another folder
    return SettingsFile(settings, presets[0] if presets else None, load)


def _texts(path: Path, content: dict[str, Any], key: str) -> tuple[str, ...]:
    value: object = content.pop(key, [])
    values = cast("list[object]", value if isinstance(value, list) else [value])
    if not all(isinstance(text, str) for text in values):
        raise UserError(f"{path}: {key} must be text, not {value!r}")
    return tuple(map(str, values))


def overlay(base: C, settings: dict[str, dict[str, Any]], *, what: str) -> C:
    """A Config, or a TeachingConfig, with some of its settings replaced."""
    plain = msgspec.to_builtins(base, enc_hook=str)
    for section, values in settings.items():
        plain[section] |= values
    try:
        return settings_from(type(base), plain, what=what, strict=False)
    except UserError as error:
        # msgspec says: Expected `int`, got `str` - at `$.rollout.group`
        parts = re.fullmatch(r"(.*): (.*) - at `\$\.(.*)`", str(error), re.DOTALL)
        raise (
            UserError(f"{parts[1]}: {parts[3]}: {parts[2][0].lower()}{parts[2][1:]}")
            if parts
            else error
        ) from None


def as_yaml(config: Config) -> str:
    """All settings in the form of such a file, each with its help."""
    plain = msgspec.to_builtins(config, enc_hook=str)
    lines: list[str] = []
    for section in fields(Config):
        kind = get_type_hints(Config)[section.name]
        lines += ["", f"# {inspect.getdoc(kind)}", f"{section.name}:"]
        helps = dict(_helps(kind))
        helps |= {s.name: explain(s, helps[s.name]) for s in fields(kind) if s.name in helps}
        for name, value in plain[section.name].items():
            lines += textwrap.wrap(
                helps.get(name, ""),
                WIDTH,
                initial_indent=f"{INDENT}# ",
                subsequent_indent=f"{INDENT}# ",
            )
            lines.append(f"{INDENT}{name}: {as_text(value)}")
    return "\n".join(lines[1:]) + "\n"


def as_text(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10**9, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


def _helps(kind: type) -> Iterator[tuple[str, str]]:
    """The fields of a dataclass and its bases, each with the text below it."""
    for base in reversed(kind.__mro__[:-1]):
        tree = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        for node, below in pairwise(cast(ast.ClassDef, tree).body):
            match node, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    yield name, " ".join(text.split())
                case _:
                    pass


def _sections(path: Path, content: Any, config: type) -> Iterator[tuple[str, dict[str, Any]]]:
    known = [section.name for section in fields(config)]
    command = "train" if config is Config else "teach"
    if not isinstance(content, dict):
        raise UserError(f"{path} holds no settings; put them under {', '.join(known)}")
    sections = cast(dict[Any, Any], content)
    if (kind := sections.pop("kind", command)) != command:  # of the run that wrote them
        raise UserError(f"{path} holds the settings of `rlve {kind}`, not of `rlve {command}`")
    for section, values in sections.items():
        if section not in known:
            raise UserError(f"{path}: there is no section {section!r}{_hint(section, known)}")
        if values is not None and not isinstance(values, dict):
            raise UserError(f"{path}: {section} is a section; put its settings below it")
        yield section, cast(dict[str, Any], values or {})


def _checked(
    path: Path, section: str, values: dict[str, Any], kind: type
) -> Iterator[tuple[str, Any]]:
    kinds = get_type_hints(kind)
    for key, value in values.items():
        name = str(key).replace("-", "_")  # hyphens are allowed, as in flags
        if name not in kinds:
            full = [f"{section}.{known}" for known in kinds]
            where = f"{section}.{key}"
            raise UserError(f"{path}: there is no setting {where!r}{_hint(where, full)}")
        several = any(get_origin(kind) is tuple for kind in (kinds[name], *get_args(kinds[name])))
        single = several and isinstance(value, str | int | float)
        yield name, [value] if single else value


def _hint(word: object, known: list[str]) -> str:
    near = difflib.get_close_matches(str(word), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
