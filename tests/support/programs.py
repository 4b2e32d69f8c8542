"""Programs that are no part of the package, as modules."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load(path):
    """The program at a path of the repository, such as benchmarks/gym.py."""
    spec = spec_from_file_location(path.removesuffix(".py").replace("/", "_"), ROOT / path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
