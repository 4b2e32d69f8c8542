"""How an environment is named so that another process can load it.

Sorting                     registered, here or by another package
my_package.tasks:Chess      a class in a module
tasks/chess.py:Chess        a class in a file

Only a person may name code to load, on the command line or in a program. A name read from a data
file goes through `check_loaded`, which refuses code that nobody has asked for.
"""

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from rlve.contract import AnyEnvironment, Environment
from rlve.errors import UserError, raised
from rlve.formats import Format, prompt_format
from rlve.registry import dialogues, environment, environments, register


def load(target: str) -> AnyEnvironment:
    """The environment a target names."""
    where, colon, name = target.rpartition(":")
    if not colon:
        _check_named(target)
        return environment(target)
    module, cls = _module(where), _object(target)
    if not (isinstance(cls, type) and issubclass(cls, Environment)):
        known = [key for key, value in vars(module).items() if _is_defined_here(value, module)]
        near = difflib.get_close_matches(name, known, n=1) or known[:1]
        hint = f"; did you mean {where}:{near[0]}?" if near else ""
        raise UserError(f"{where} defines no environment named {name!r}{hint}")
    return cast(AnyEnvironment, cls)


def load_object(target: str) -> Any:
    """The object, of any kind, that MODULE:NAME or FILE.py:NAME names."""
    value = _object(target)
    if value is None:
        raise UserError("{0} defines no {2}".format(*target.rpartition(":")))
    return value


def find(target: str) -> AnyEnvironment:
    """The environment a target names; a user's own is registered under its class name."""
    return register(load(target)) if ":" in target else load(target)


def find_format(text: str) -> Format:
    """The prompt format with that name, or the user's own at MODULE:NAME or FILE.py:NAME."""
    return prompt_format(load_object(text) if ":" in text else text)


def load_code(*targets: str) -> None:
    """Run each FILE.py, or import each MODULE, and register the environments it defines."""
    for module in map(_module, targets):
        for value in vars(module).values():
            if _is_defined_here(value, module):
                register(cast(AnyEnvironment, value))


def check_loaded(targets: Iterable[str], said_by: object) -> None:
    """Raise a UserError if a data file names a target whose code nobody has loaded."""
    for target in targets:
        where = target.rpartition(":")[0]
        known = _name_of(where) in sys.modules if where.endswith(".py") else where in _imported
        if where and not known:
            raise UserError(
                f"{said_by} asks for {target}, which is code: if you trust it, add --load {where}"
            )


def check_target(target: str) -> str:
    """The target, or a UserError if it clearly names nothing; no code is loaded."""
    where, colon, _ = target.rpartition(":")
    if not colon and target not in (*environments(), *dialogues()):
        _check_named(target)
        environment(target)  # raises, and suggests similar names
    if where.endswith(".py") and not Path(where).is_file():
        raise UserError(f"there is no Python file {where}")
    return target


def _check_named(target: str) -> None:
    """Refuse a file without a class, and name its classes, as far as its text says them."""
    if not target.endswith(".py"):
        return
    if not Path(target).is_file():
        raise UserError(f"there is no Python file {target}")
    text = Path(target).read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"^class (\w+)\(.*(?:Environment|Dialogue)\b", text, re.MULTILINE) or [
        "ClassName"
    ]
    raise UserError(
        f"which class of {target}? Write {' or '.join(f'{target}:{name}' for name in found)}"
    )


def target_of(cls: AnyEnvironment) -> str:
    """The target that names this class."""
    name, module = cls.__qualname__, cls.__module__
    if module.startswith("rlve.envs."):
        return name
    try:
        file = inspect.getfile(cls)
    except (TypeError, OSError):  # defined at a prompt
        file = ""
    if "<locals>" in name or not Path(file).is_file():
        raise UserError(
            f"{cls.__name__} cannot be loaded by another process: define it at the top of a file"
        )
    return f"{module if _is_found(module, file) else file}:{name}"


def _is_found(module: str, file: str) -> bool:
    """Whether importing the module by its name finds this file."""
    path = Path(*module.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return any(Path(root, candidate) == Path(file) for root in sys.path for candidate in candidates)


def _object(target: str) -> Any:
    where, _, name = target.rpartition(":")
    value: Any = _module(where)
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _module(where: str) -> ModuleType:
    return _load_file(where) if where.endswith(".py") else _import(where)


def _import(name: str) -> ModuleType:
    if not re.fullmatch(r"\w+(\.\w+)*", name):
        raise UserError(f"{name!r} is neither a module nor a Python file")
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.append(str(Path.cwd()))  # `python -m` looks there as well
    try:
        module = importlib.import_module(name)
    except Exception as error:
        raise UserError(f"the module {name} cannot be imported: {raised(error)}") from error
    _imported.add(name)
    return module


_imported: set[str] = set()  # modules that somebody has asked for by name


def load_named(module: str) -> None:
    """Load the file behind a module that `_load_file` made; other modules are left alone.

    This lets another process load a class by its module, although importing finds no such module.
    """
    stem, of, folder = module.partition(OF)
    if of:
        _load_file(str(Path(folder, f"{stem}.py")))


OF = " of "  # no importable module has such a name


def _name_of(file: str) -> str:
    """The name we give the module of a file."""
    path = Path(file).resolve()
    return f"{path.stem}{OF}{path.parent}"


def _load_file(file: str) -> ModuleType:
    path, name = Path(file).resolve(), _name_of(file)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UserError(f"there is no Python file {file}")
    sys.path.append(str(path.parent))  # it may import its neighbours
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UserError(f"{file} cannot be loaded: {raised(error)}") from error
    return module


def _is_defined_here(value: object, module: ModuleType) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Environment)
        and value.__module__ == module.__name__
    )
