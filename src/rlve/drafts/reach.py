"""What a draft's text reaches for, found without running it.

The sandbox keeps a draft from files and the network, but once admitted it runs outside. So its text
may use only modules that compute, and none of the ways around that. This is read from the syntax
tree; it stops mistakes and plain attempts, not a determined author.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

COMPUTING = set(
    "abc array bisect cmath collections copy dataclasses decimal enum fractions functools heapq "
    "itertools json math numbers numpy operator queue random re statistics string textwrap typing "
    "__future__".split()
)
ROOMS = set("algorithms answers contract errors levels rewards sampling text work".split())
PICTURES = "foundation.pictures"
PUBLIC = set("Environment GenerationError Level Problem Unparseable UserError Verdict".split())
"""The modules of rlve, and the names in it, that are for environments."""
MODULES = set("sys os modules builtins".split())  # attributes of modules that import these
FORBIDDEN = set(
    "open eval exec compile input breakpoint globals locals vars dir setattr delattr hash id exit "
    "quit help attrgetter methodcaller memoryview SystemRandom fromfile tofile memmap load save "
    "loadtxt savetxt genfromtxt".split()
)
FREE = set("open compile input help load save exit quit dir id".split())  # as names of methods
OPERATORS = set(
    "name len getitem contains iter next eq ne lt le gt ge add sub mul truediv floordiv mod pow "
    "and or xor neg abs init post_init call hash repr str future annotations".split()
)
DUNDER = re.compile(r"__(\w+?)__")
RNG = "use only sample()'s rng"


def complaints(source: str, *, solver: bool = False) -> list[str]:
    """What a text uses and may not, each with its line; a solver may use nothing of rlve."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"it cannot be read: {error}"]
    modules: dict[str, str] = {}  # by the names they have in the text
    for node in nodes:
        for alias in node.names if isinstance(node, ast.Import) else ():
            top = alias.name.partition(".")[0]
            modules[alias.asname or top] = alias.name if alias.asname else top
    found = [
        f"line {getattr(node, 'lineno', 0)}: {what}"
        for node in nodes
        for what in _complaints(node, modules, solver=solver)
    ]
    return list(dict.fromkeys(found))


def endless(source: str) -> list[str]:
    """The loops that nothing but luck ends."""
    with suppress(SyntaxError, ValueError):  # complaints() says so
        loops = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.While)]
        lines = [loop.lineno for loop in loops if isinstance(loop.test, ast.Constant)]
        return [f"line {line}: this loop has no cap" for line in sorted(lines)]
    return []


def wrong_answers(source: str) -> list[tuple[int, int, str]]:
    """The list WRONG of a file: (difficulty, seed, answer) that must be refused.

    A ValueError says that it is another list.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WRONG":
            try:
                given: Any = ast.literal_eval(node.value)
                return [(int(d), int(seed), str(answer)) for d, seed, answer in given]
            except (TypeError, ValueError):
                raise ValueError("WRONG is no list of (difficulty, seed, answer)") from None
    return []


def _complaints(node: ast.AST, modules: dict[str, str], *, solver: bool) -> Iterator[str]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield from _imported(alias.name, solver=solver)
        case ast.ImportFrom():
            module = "." * node.level + (node.module or "")
            yield from _imported(module, solver=solver)
            for alias in node.names:
                yield from _taken(module, alias.name)
        case ast.Name(id=name):
            if name in FORBIDDEN:
                yield f"it uses {name}()"
            yield from _dunders(name.replace("__name__", ""))
        case ast.Attribute(value=value, attr=name):
            if name in FORBIDDEN - FREE:
                yield f"it uses {name}()"
            if name in MODULES:
                yield f"it uses .{name}, which leads to other modules"
            yield from _dunders(name)
            if isinstance(value, ast.Name) and value.id in modules:
                yield from _taken(modules[value.id], name)
        case ast.Constant(value=str() as text):  # names can also be given as texts
            yield from _dunders(text)
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            if not isinstance(name, ast.Constant):
                yield "it computes the name of an attribute"
        case _:
            pass


def _imported(module: str, *, solver: bool) -> Iterator[str]:
    top, _, rest = module.partition(".")
    if top in ("rlve", "msgspec"):
        if solver:
            yield f"a solver imports {module}: it may know the prompt and nothing else"
        elif top == "rlve" and rest and not {rest, rest.partition(".")[0]} & {*ROOMS, PICTURES}:
            yield f"it imports {module}, which is not for environments"
    elif top not in COMPUTING:
        yield f"it imports {module}, which is not among the modules that compute"
    elif module.startswith("numpy.random"):
        yield f"it draws from numpy.random: {RNG}"


def _taken(module: str, name: str) -> Iterator[str]:
    if (module == "random" and name != "Random") or (module, name) == ("numpy", "random"):
        yield f"it uses {module}.{name}: {RNG}"
    elif module == "rlve" and name not in PUBLIC | ROOMS:
        yield f"it uses rlve.{name}, which is not for environments"
    elif name in FORBIDDEN and module != "re":
        yield f"it uses {module}.{name}"


def _dunders(text: str) -> Iterator[str]:
    for name in DUNDER.findall(text):
        if name not in OPERATORS:
            yield f"it uses __{name}__"
