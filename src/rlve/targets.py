"""How an environment is named so that another process can load it.

Sorting                     registered, here or by another package
my_package.tasks:Chess      a class of a module
tasks/chess.py:Chess        a class of a file

Only a person names code to load, on the command line or in a program. A name that a file of data
holds goes through `check_loaded`, which refuses what nobody has asked for.
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
from rlve.registry import environment, environments, register


def load(target: str) -> AnyEnvironment:
    """The environment that a target names."""
    where, colon, name = target.rpartition(":")
    if not colon:
        return environment(target)
    module, cls = _module(where), _object(target)
    if not (isinstance(cls, type) and issubclass(cls, Environment)):
        known = [key for key, value in vars(module).items() if _is_defined_here(value, module)]
        near = difflib.get_close_matches(name, known, n=1) or known[:1]
        hint = f"; did you mean {where}:{near[0]}?" if near else ""
        raise UserError(f"{where} defines no environment named {name!r}{hint}")
    return cast(AnyEnvironment, cls)


def load_object(target: str) -> Any:
    """What MODULE:NAME or FILE.py:NAME names, of whatever kind it is."""
    found = _object(target)
    if found is None:
        raise UserError("{0} defines no {2}".format(*target.rpartition(":")))
    return found


def find(target: str) -> AnyEnvironment:
    """The environment that a target names; one of the user's own goes by its name from then on."""
    return register(load(target)) if ":" in target else environment(target)


def find_format(text: str) -> Format:
    """The prompt format of that name, or the user's own that MODULE:NAME or FILE.py:NAME names."""
    return prompt_format(load_object(text) if ":" in text else text)


def load_code(place: str) -> None:
    """Run FILE.py, or import MODULE; the environments that it defines go by their names then."""
    module = _module(place)
    for value in vars(module).values():
        if _is_defined_here(value, module):
            register(cast(AnyEnvironment, value))


def check_loaded(targets: Iterable[str], said_by: object) -> None:
    """Raise a UserError for a target, named by a file of data, whose code nobody has loaded."""
    for target in targets:
        where = target.rpartition(":")[0]
        known = _name_of(where) in sys.modules if where.endswith(".py") else where in _imported
        if where and not known:
            raise UserError(
                f"{said_by} asks for {target}, which is code: if you trust it, add --load {where}"
            )


def check_target(target: str) -> str:
    """The target, or a UserError where it can be seen without loading it that it names nothing."""
    where, colon, _ = target.rpartition(":")
    if not colon and target not in environments():
        if target.endswith(".py"):
            raise UserError(f"which class of {target}? Write {target}:ClassName")
        environment(target)  # raises, and knows near names
    if where.endswith(".py") and not Path(where).is_file():
        raise UserError(f"there is no Python file {where}")
    return target


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
    place = Path(*module.split("."))
    candidates = (place.with_suffix(".py"), place / "__init__.py")
    return any(Path(entry, place) == Path(file) for entry in sys.path for place in candidates)


def _object(target: str) -> Any:
    where, _, name = target.rpartition(":")
    found: Any = _module(where)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _module(where: str) -> ModuleType:
    return _load_file(where) if where.endswith(".py") else _import(where)


def _import(name: str) -> ModuleType:
    if not re.fullmatch(r"\w+(\.\w+)*", name):
        raise UserError(f"{name!r} is neither a module nor a Python file")
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.append(str(Path.cwd()))  # where `python -m` finds modules too
    try:
        module = importlib.import_module(name)
    except Exception as error:
        raise UserError(f"the module {name} cannot be imported: {raised(error)}") from error
    _imported.add(name)
    return module


_imported: set[str] = set()  # modules that somebody has asked for by their names


def load_named(module: str) -> None:
    """Load the file that a module of ours was made from, if its name says that it was from one.

    So another process can load a class by its module, although importing finds no such module.
    """
    stem, of, folder = module.partition(OF)
    if of:
        _load_file(str(Path(folder, f"{stem}.py")))


OF = " of "  # no module that can be imported has such a name


def _name_of(file: str) -> str:
    """What the module of a file is called here."""
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
