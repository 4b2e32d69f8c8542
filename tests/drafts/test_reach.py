"""What a text may use, read without running it."""

import inspect

import pytest

from rlve.catalogue import CATALOGUE
from rlve.drafts.reach import complaints, endless, wrong_answers
from rlve.registry import environment


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "import os.path as p",
        "import re\nre.enum.sys.modules",
        "from rlve.foundation.files import write_whole",
        "from pathlib import Path",
        "from . import neighbour",
        "import random\nrandom.shuffle([])",
        "import random as r\nr.random()",
        "from random import choice",
        "import numpy as np\nnp.random.rand()",
        "from numpy import random",
        "import numpy\nnumpy.load('x')",
        "open('x')",
        "__import__('os')",
        "().__class__.__base__.__subclasses__()",
        "'{0.__class__}'.format(1)",
        "getattr(x, 'a' + 'b')",
        "from rlve.pool import Pool",
        "import rlve\nrlve.Gym",
        "from rlve import environment",
        "hash('x')",
        "from operator import attrgetter",
        "def f(:",
        "from dataclasses import sys",
        "from json import codecs",
        "from statistics import random\nrandom.randrange(9)",
        "import statistics\nstatistics.random.random()",
        "import json\njson.codecs.open('x', 'w')",
        "import json\nj = json",
        "import json as j\nprint(j)",
        "import enum\ngetattr(enum.bltns, 'exec')('x')",
        "x.open('y')",
        "getattr(x, 'f_globals')",
        "list(map(getattr, x, y))",
        "from json.tool import Path",
        "from rlve.errors import Path",
        "from rlve import levels\nlevels.re",
        "import rlve.answers\nrlve.answers.re.enum",
        "from math import *",
        "import random\nrandom._os",
        "import numpy\nnumpy.DataSource(None)",
        "import numpy as np\nnp.lib",
        "(x for x in ()).gi_frame",
        "'{0.f_back}'.format(x)",
        "match x:\n    case object(gi_frame=frame):\n        pass",
        "class A:\n    x: 'exec(1)'",
    ],
)
def test_a_text_that_reaches_out_is_named(text: str) -> None:
    assert complaints(text)


@pytest.mark.parametrize(
    "text",
    [
        "from collections import abc\nabc.Iterable",
        "from decimal import Decimal, getcontext",
        "import collections.abc\ncollections.abc.Iterable",
        "import msgspec\nmsgspec.UNSET",
        "import numpy as np\nnp.linalg.det",
        "import random\nrandom.Random",
        "import re as r\nr.compile('x')",
        "from rlve import levels\nlevels.grow",
        "from __future__ import annotations",
        "rng.random()",
    ],
)
def test_what_computes_is_free(text: str) -> None:
    assert not complaints(text)


@pytest.mark.parametrize(
    ("loop", "capped"),
    [
        ("while True: pass", False),
        ("while not False: pass", False),
        ("while x % 9:\n    x = rng.randrange(99)", False),
        ("while len(x) < 9:\n    if rng.random() < y:\n        x.append(1)", False),
        ("while x:\n    y = draw(rng)", False),
        ("for _ in itertools.count(): pass", False),
        ("[x for x in cycle(y)]", False),
        ("for x in repeat(1): pass", False),
        ("def f(dice: Random):\n    while x > 1:\n        x = dice.randrange(9)", False),
        ("for x in repeat(1, 9): pass", True),
        ("for x in zip(count(), y): pass", True),
        ("while x % 9 and tries < 99:\n    x = rng.randrange(99)\n    tries += 1", True),
        ("while x:\n    x //= 2\n    y = rng.random()", True),
        ("while x:\n    y = x.pop()\n    rng.shuffle(z)", True),
        ("while x[-1] != y: x.pop()", True),
    ],
)
def test_a_loop_that_luck_ends_has_no_cap(loop: str, capped: bool) -> None:
    assert bool(endless(loop)) is not capped


def test_environments_of_the_gym_reach_for_nothing() -> None:
    modules = {name: inspect.getmodule(environment(name)) for name in CATALOGUE}
    found = {name for name, module in modules.items() if complaints(inspect.getsource(module))}
    # These import os.path and each other.
    assert found == {"PCPPermutation", "RoyalLockCounting", "SkyscraperSumPuzzle"}


def test_a_solver_knows_nothing_of_rlve() -> None:
    assert complaints("import rlve.answers", solver=True)
    assert not complaints("import re\nre.compile('x')", solver=True)


def test_wrong_answers_are_read_and_not_run() -> None:
    assert wrong_answers("WRONG = [(0, 1, 'x')]") == [(0, 1, "x")]
    assert wrong_answers("x = 1") == []
    for other in ("WRONG = print('run')", "WRONG = [1]", "WRONG = [(0, 1)]"):
        with pytest.raises(ValueError, match="WRONG is no list of"):
            wrong_answers(other)
