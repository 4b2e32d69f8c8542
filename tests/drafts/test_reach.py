"""What a text may use, read without running it."""

import inspect

import pytest

from rlve.catalogue import CATALOGUE
from rlve.drafts.reach import complaints, wrong_answers
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
    ],
)
def test_a_text_that_reaches_out_is_named(text: str) -> None:
    assert complaints(text)


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
