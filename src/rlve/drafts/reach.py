"""What a draft's text reaches for, read without running it.

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

COMPUTING = set(
    "abc array bisect cmath collections collections.abc copy dataclasses decimal enum fractions "
    "functools heapq itertools json math msgspec numbers numpy numpy.linalg numpy.typing operator "
    "queue random re rlve rlve.foundation.pictures statistics string textwrap typing "
    "__future__".split()
)
ROOMS = set("algorithms answers contract errors levels rewards sampling text work".split())
PUBLIC = set("Environment GenerationError Level Problem Unparseable UserError Verdict".split())
"""The modules of rlve, and the names in it, that are for environments."""
FORBIDDEN: set[str] = set(
    "open eval exec compile input breakpoint globals locals vars dir getattr setattr delattr hash "
    "id exit quit help attrgetter methodcaller get_field get_type_hints make_dataclass defstruct "
    "memoryview SystemRandom DataSource fromfile fromregex genfromtxt load loadtxt memmap save "
    "savetxt savez savez_compressed tofile dump".split()
)
FREE: set[str] = set("compile input help load save exit quit dir id".split())  # as names of methods
OPERATORS = set(
    "name len getitem contains iter next eq ne lt le gt ge add sub mul truediv floordiv mod pow "
    "and or xor neg abs init post_init call hash repr str".split()
)
MEANING = re.compile(
    r"__(\w+?)__|\b((?:gi|cr|ag|tb)_(?:frame|code|next)|f_(?:back|globals|locals|builtins|code))\b"
)
"""Names that Python gives a meaning: among them those that lead to the frame of a caller."""


def complaints(source: str, *, solver: bool = False) -> list[str]:
    """What a text uses and may not, each with its line; a solver may use nothing of rlve."""
    try:
        found = list(_read(list(ast.walk(ast.parse(source))), solver=solver))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"it cannot be read: {error}"]
    return [f"line {line}: {what}" for line, what in dict.fromkeys(found)]


def _read(nodes: list[ast.AST], *, solver: bool) -> Iterator[tuple[int, str]]:
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    tops = ((alias.asname, alias.name.partition(".")[0], alias.name) for alias in imports)
    modules = {asname or top: name if asname else top for asname, top, name in tops}
    dotted = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        line = getattr(node, "lineno", 0)
        yield from ((line, what) for what in _complaints(node, modules, solver=solver))
        if id(node) not in dotted and (module := _module(node, modules)):
            yield line, f"it uses the module {module} otherwise than before a dot"


def _module(node: ast.AST, modules: dict[str, str]) -> str:
    """The module that a name, or a name with dots, stands for; empty if for none."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    top, *names = ast.unparse(node).split(".")
    module = modules.get(top, "")
    for name in names:
        module = f"{module}.{name}" if isinstance(_offered(module, name), ModuleType) else ""
    return module


def _complaints(node: ast.AST, modules: dict[str, str], *, solver: bool) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from _imported(alias.name, solver=solver)
        case ast.ImportFrom(module=module, names=names, level=level):
            yield from _imported("." * level + (module or ""), solver=solver)
            for alias in names:
                if isinstance(_offered(module or "", alias.name), ModuleType):
                    yield f"it takes the module {alias.name} out of {module}: import it by its name"
                yield from _taken(module or "", alias.name)
        case ast.Name(id=name):
            yield from _used(name, FORBIDDEN)
        case ast.Attribute(value=value, attr=name):
            yield from _used(name, FORBIDDEN - FREE)
            if module := _module(value, modules):
                yield from _taken(module, name)
        case ast.MatchClass(kwd_attrs=names):
            for name in names:
                yield from _used(name, FORBIDDEN - FREE)
        case ast.Constant(value=str() as text):  # names can also be given as texts
            yield from _used(text, set())
        case ast.arg(annotation=ast.expr() as hint) | ast.AnnAssign(annotation=hint):
            if any(isinstance(p, ast.Constant) and "(" in str(p.value) for p in ast.walk(hint)):
                yield "it calls something in an annotation"
        case _:
            pass


def _used(text: str, forbidden: set[str]) -> Iterator[str]:
    if text in forbidden:
        yield f"it uses {text}()"
    for match in MEANING.finditer(text):
        if match[1] not in OPERATORS:
            yield f"it uses {match[0]}"


def _imported(module: str, *, solver: bool) -> Iterator[str]:
    if solver and module.partition(".")[0] in ("rlve", "msgspec"):
        yield f"a solver imports {module}: it may know the prompt and nothing else"
    elif not _computes(module):
        yield f"it imports {module}, which is not among the modules that compute"


def _computes(module: str) -> bool:
    """Whether a text may import it."""
    top, _, room = module.partition(".")
    return module in COMPUTING or (top == "rlve" and room.partition(".")[0] in ROOMS)


def _offered(module: str, name: str) -> object:
    """What a module that computes has by this name."""
    with suppress(ImportError):
        if _computes(module) and hasattr(import_module(module), name):
            return getattr(import_module(module), name)
        return import_module(f"{module}.{name}") if _computes(f"{module}.{name}") else None
    return None


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
    allowed &= module != "random" or name == "Random"  # all randomness comes from sample()'s rng
    if not allowed or (module == "rlve" and name not in PUBLIC | ROOMS):
        yield f"it uses {inner}, which is not for environments"
