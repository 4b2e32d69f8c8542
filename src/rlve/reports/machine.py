"""What this machine has, what is missing, and what will be slow: `rlve doctor`."""

import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from rlve import __version__
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.models.threads import share_cores
from rlve.pool import Failure, Pool, Request, usable_cores
from rlve.sandbox import Sandbox, SandboxError

GIB = 2**30
WORKING = "can generate problems and judge answers"


class Extra(NamedTuple):
    """An extra of the package: its libraries with their versions, None where one is missing."""

    name: str
    libraries: dict[str, str | None]

    @property
    def installed(self) -> str:
        found = self.libraries.items()
        return ", ".join(f"{name} {version}" for name, version in found if version is not None)

    @property
    def missing(self) -> str:
        return ", ".join(name for name, version in self.libraries.items() if version is None)


def facts(gpus: list[str], workers: str) -> dict[str, str]:
    """What there is, for a person to read."""
    memory = machine_memory()
    return {
        "rlve": f"{__version__}, in {Path(__file__).parents[1]}",
        "Python": f"{platform.python_version()}, {sys.executable}",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": str(usable_cores()),
        "memory": "unknown" if memory is None else f"{memory / GIB:.1f} GiB",
        "free on disk": f"{shutil.disk_usage(Path()).free / GIB:.1f} GiB here",
        "GPU": ", ".join(gpus) or "none",
        "workers": workers,
        "sandbox": sandbox(),
    }


def extras() -> list[Extra]:
    """The extras of the package as it is installed."""
    names = metadata.metadata("rlve").get_all("Provides-Extra") or []
    found = {name: Extra(name, {}) for name in names if name != "dev"}
    for text in metadata.requires("rlve") or []:
        wanted = re.match(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]", text)
        if wanted and wanted[2] in found:
            found[wanted[2]].libraries[wanted[1]] = _version(wanted[1])
    return list(found.values())


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def machine_memory() -> int | None:
    """Bytes of memory that this machine has, or that its container may use."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
    limit = Path("/sys/fs/cgroup/memory.max")
    text = limit.read_text().strip() if limit.exists() else "max"
    return min(physical, int(text)) if text.isdigit() else physical


def gpus() -> list[str]:
    """The GPUs that torch sees."""
    if _version("torch") is None:
        return []
    share_cores()
    import torch

    if not torch.cuda.is_available():
        return []
    cards = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    return [f"{card.name}, {card.total_memory / GIB:.0f} GiB" for card in cards]


def sandbox() -> str:
    """That it works, or what is wrong with it."""
    try:
        with Sandbox() as made:
            visible = made.visible
    except (UserError, SandboxError, OSError) as error:
        return str(error)
    works = "works: models' programs can be run (LiveCodeBench)"
    if visible is None:
        return works
    return (
        f"{works}; they can see which paths exist, because namespaces are not available: {visible}"
    )


def workers() -> str:
    """That they work, or what is wrong with them."""
    try:
        with Pool(1) as pool:
            [problem] = pool.generate([Request(Sorting, difficulty=0, seed=0)])
            if isinstance(problem, Failure):
                return f"cannot generate problems: {problem.message}"
            [verdict] = pool.judge([(problem, f"<answer>{problem.reference()}</answer>")])
    except (UserError, OSError) as error:
        return f"do not start: {error}"
    if isinstance(verdict, Failure) or not verdict.correct:
        return "do not judge answers correctly"
    return WORKING


def advice(found: list[Extra], gpus: list[str]) -> list[str]:
    """What will be slow or cannot be done, and what to do about it."""
    told: list[str] = []
    missing = {extra.name for extra in found if extra.missing}
    if "train" in missing:
        told.append("Training and models in this process need torch: pip install 'rlve[train]'")
    if not gpus:
        told.append("Without a GPU, training is for nano and other tiny models.")
        if shutil.which("nvidia-smi"):
            told.append("There seems to be one: install the build of torch that matches it.")
    elif "vllm" in missing:
        told.append("The paper's presets sample with vLLM: pip install 'rlve[vllm]'")
    if usable_cores() < 4:
        told.append("With so few cores, exporting and checking many environments takes long.")
    memory = machine_memory()
    if memory is not None and memory < 4 * GIB:
        told.append("With less than 4 GiB of memory, use --workers 1, or --run.workers 1.")
    return told
