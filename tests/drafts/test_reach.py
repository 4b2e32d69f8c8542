"""What a text may use, read without running it."""

import inspect

import pytest

from rlve.catalogue import CATALOGUE
from rlve.drafts.reach import complaints
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
        "from collections import abc\nabc.sys",
    ],
)
def test_a_text_that_reaches_out_is_named(text: str) -> None:
    assert complaints(text)


@pytest.mark.parametrize(
    "text",
    [
        "from decimal import Decimal, getcontext",
        "import collections.abc\ncollections.abc.Iterable",
        "import msgspec\nmsgspec.UNSET",
        "import numpy as np\nnp.linalg.det",
        "import random\nrandom.Random",
        "import re as r\nr.compile('x')",
        "from __future__ import annotations",
        "rng.random()",
    ],
)
def test_what_computes_is_free(text: str) -> None:
    assert not complaints(text)


def test_environments_of_the_gym_reach_for_nothing() -> None:
    modules = {name: inspect.getmodule(environment(name)) for name in CATALOGUE}
    found = {name for name, module in modules.items() if complaints(inspect.getsource(module))}
    # These import os.path and each other.
    assert found == {"PCPPermutation", "RoyalLockCounting", "SkyscraperSumPuzzle"}


def test_a_solver_knows_nothing_of_rlve() -> None:
    assert complaints("import rlve.answers", solver=True)
    assert not complaints("import re\nre.compile('x')", solver=True)
