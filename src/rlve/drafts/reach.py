"""What a draft's text reaches for, found without running it.

The sandbox keeps a draft from files and the network, but once admitted it runs outside. So its text
may use only modules that compute, only what these offer, and none of the ways around that. A module
may only stand before a dot, so that nothing else leads into it. This is read from the syntax tree;
it stops mistakes and plain attempts, not a determined author.
"""

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

COMPUTING = set(
    "abc array bisect cmath collections collections.abc copy dataclasses decimal enum fractions "
    "functools heapq itertools json math msgspec numbers numpy numpy.linalg numpy.typing operator "
    "queue random re rlve rlve.foundation.pictures statistics string textwrap typing "
    "__future__".split()
)
ROOMS = set("algorithms answers contract errors levels rewards sampling text work".split())
PUBLIC = set("Environment GenerationError Level Problem Unparseable UserError Verdict".split())
"""The modules of rlve, and the names in it, that are for environments."""
FORBIDDEN = set(
    "open eval exec compile input breakpoint globals locals vars dir getattr setattr delattr hash "
    "id exit quit help attrgetter methodcaller get_field get_type_hints make_dataclass defstruct "
    "memoryview SystemRandom DataSource fromfile fromregex genfromtxt load loadtxt memmap save "
    "savetxt savez savez_compressed tofile dump".split()
)
FREE = set("compile input help load save exit quit dir id".split())  # as names of methods
OPERATORS = set(
    "name len getitem contains iter next eq ne lt le gt ge add sub mul truediv floordiv mod pow "
    "and or xor neg abs init post_init call hash repr str".split()
)
MEANING = re.compile(
    r"__(\w+?)__|\b((?:gi|cr|ag|tb)_(?:frame|code|next)|f_(?:back|globals|locals|builtins|code))\b"
)
"""Names that Python gives a meaning: among them those that lead to the frame of a caller."""
RNG = "use only sample()'s rng"


def complaints(source: str, *, solver: bool = False) -> list[str]:
    """What a text uses and may not, each with its line; a solver may use nothing of rlve."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"it cannot be read: {error}"]
    modules = {name: module for node in nodes for name, module in _modules(node)}
    dotted = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    found: list[tuple[int, str]] = []
    for node in nodes:
        line = getattr(node, "lineno", 0)
        found += [(line, what) for what in _complaints(node, modules, solver=solver)]
        if id(node) not in dotted and (module := _module(node, modules)):
            found.append((line, f"it uses the module {module} otherwise than before a dot"))
    return [f"line {line}: {what}" for line, what in dict.fromkeys(found)]


def _modules(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The modules that an import brings, by the names they have in the text."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        case ast.ImportFrom(module=str() as module, names=names):
            for alias in names:
                if _is_module(module, alias.name):
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
        case _:
            pass


def _module(node: ast.AST, modules: dict[str, str]) -> str:
    """The module that a name, or a name with dots, stands for; empty if for none."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    top, *names = ast.unparse(node).split(".")
    module = modules.get(top, "")
    for name in names:
        module = f"{module}.{name}" if _is_module(module, name) else ""
    return module


def _complaints(node: ast.AST, modules: dict[str, str], *, solver: bool) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from _imported(alias.name, solver=solver)
        case ast.ImportFrom(module=module, names=names, level=level):
            yield from _imported("." * level + (module or ""), solver=solver)
            for alias in names:
                yield from _taken(module or "", alias.name)
        case ast.Name(id=name):
            if name in FORBIDDEN:
                yield f"it uses {name}()"
            yield from _meanings(name)
        case ast.Attribute(value=value, attr=name):
            yield from _attribute(name)
            if module := _module(value, modules):
                yield from _taken(module, name)
        case ast.MatchClass(kwd_attrs=names):
            for name in names:
                yield from _attribute(name)
        case ast.Constant(value=str() as text):  # names can also be given as texts
            yield from _meanings(text)
        case ast.arg(annotation=ast.expr() as hint) | ast.AnnAssign(annotation=hint):
            if any(isinstance(p, ast.Constant) and "(" in str(p.value) for p in ast.walk(hint)):
                yield "it calls something in an annotation"
        case _:
            pass


def _imported(module: str, *, solver: bool) -> Iterator[str]:
    if solver and module.partition(".")[0] in ("rlve", "msgspec"):
        yield f"a solver imports {module}: it may know the prompt and nothing else"
    elif not _computes(module):
        yield f"it imports {module}, which is not among the modules that compute"


def _computes(module: str) -> bool:
    """Whether a text may import it."""
    top, _, room = module.partition(".")
    return module in COMPUTING or (top == "rlve" and room.partition(".")[0] in ROOMS)


def _offered(module: str, name: str) -> Any:
    """What a module that computes has by this name."""
    with suppress(ImportError):
        if _computes(module) and hasattr(import_module(module), name):
            return getattr(import_module(module), name)
        return import_module(f"{module}.{name}") if _computes(f"{module}.{name}") else None
    return None


def _is_module(module: str, name: str) -> bool:
    return isinstance(_offered(module, name), ModuleType)


def _taken(module: str, name: str) -> Iterator[str]:
    """What is wrong with taking this name from a module."""
    found, inner = _offered(module, name), f"{module}.{name}"
    if isinstance(found, ModuleType):
        allowed = found.__name__ == inner and _computes(inner)
    else:
        home = str(getattr(found, "__module__", "rlve")).strip("_").partition(".")[0]
        own = [name] if home in {"builtins", *COMPUTING} and name[0] not in "_*" else []
        allowed = name in getattr(sys.modules.get(module), "__all__", own)
        allowed &= name not in FORBIDDEN or module == "re"
    if inner == "numpy.random" or (module == "random" and name != "Random"):
        yield f"it uses {inner}: {RNG}"
    elif not allowed or (module == "rlve" and name not in PUBLIC | ROOMS):
        yield f"it uses {inner}, which is not for environments"


def _attribute(name: str) -> Iterator[str]:
    if name in FORBIDDEN - FREE:
        yield f"it uses {name}()"
    yield from _meanings(name)


def _meanings(text: str) -> Iterator[str]:
    for match in MEANING.finditer(text):
        if match[1] not in OPERATORS:
            yield f"it uses {match[0]}"


def endless(source: str) -> list[str]:
    """The loops that nothing ends, or nothing but luck."""
    nodes = _nodes(source)
    declared = [node for node in nodes if isinstance(node, ast.arg)]
    drawn = {"rng"} | {node.arg for node in declared if "Random" in ast.unparse(node)}
    lines = {line for node in nodes for line in _endless(node, drawn)}
    return [f"line {line}: this loop has no cap" for line in sorted(lines)]


def _endless(node: ast.AST, drawn: set[str]) -> Iterator[int]:
    match node:
        case ast.While(test=test, body=body):
            steps = [step for step in body if not drawn & _names(step)]
            counted = any(_names(test) & _counted(step) for step in steps)
            if not (counted if drawn & _names(node) else _names(test)):
                yield node.lineno
        case ast.For(iter=source) | ast.comprehension(iter=source):
            if re.fullmatch(r"(\w+\.)*(count\(.*|cycle\(.*|repeat\([^,]*)", ast.unparse(source)):
                yield source.lineno
        case _:
            pass


def _counted(step: ast.stmt) -> set[str]:
    """The names that a step of a loop changes every time."""
    match step:
        case ast.AugAssign(target=changed) | ast.Expr(ast.Call(ast.Attribute(value=changed))):
            return _names(changed)
        case ast.Assign(targets=[target], value=value):
            return _names(value) if "pop" in ast.unparse(value) else _names(target) & _names(value)
        case _:
            return set()


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def wrong_answers(source: str) -> list[tuple[int, int, str]]:
    """The list WRONG of a file: (difficulty, seed, answer) to refuse; or a ValueError."""
    for node in _nodes(source):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WRONG":
            try:
                given: Any = ast.literal_eval(node.value)
                return [(int(d), int(seed), str(answer)) for d, seed, answer in given]
            except (TypeError, ValueError):
                raise ValueError("WRONG is no list of (difficulty, seed, answer)") from None
    return []


def _nodes(source: str) -> list[ast.AST]:
    """All nodes of a text; none if it cannot be read, which complaints() says."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return list(ast.walk(ast.parse(source)))
    return []
