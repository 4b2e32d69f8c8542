"""What this machine has, what is missing, and what will be slow: `rlve doctor`."""

import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from rlve import __version__
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError, version_order
from rlve.models.threads import share_cores
from rlve.pool import Failure, Pool, Request, usable_cores
from rlve.sandbox import Sandbox, SandboxError
from rlve.text import quantity

GIB = 2**30

REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?\s*([^;]*?)\s*;\s*extra == ['\"]([\w-]+)['\"]")


class Extra(msgspec.Struct, frozen=True):
    """An extra of the package, and what is installed of it."""

    name: str
    installed: dict[str, str]
    missing: list[str]
    unfit: list[str]
    """Libraries in a version that we have not tested, with the versions that we have."""

    @property
    def state(self) -> str:
        """Its state in a few words."""
        if self.unfit:
            return f"untested: {', '.join(self.unfit)}"
        if self.missing:
            return f"missing: {', '.join(self.missing)}"
        return ", ".join(f"{name} {version}" for name, version in self.installed.items())


class Machine(msgspec.Struct, frozen=True):
    """What `rlve doctor` knows about this machine."""

    rlve: str
    python: str
    system: str
    cores: int
    memory: int | None
    free_disk: int
    gpus: list[str]
    sandbox: str
    """That it works, or what is wrong with it."""
    workers: str
    """What is wrong with them, or ""."""
    extras: list[Extra]
    advice: list[str]

    @property
    def facts(self) -> dict[str, str]:
        """The facts, for a person to read."""
        return {
            "rlve": self.rlve,
            "Python": self.python,
            "system": self.system,
            "cores": str(self.cores),
            "memory": "unknown" if self.memory is None else f"{self.memory / GIB:.1f} GiB",
            "free on disk": f"{self.free_disk / GIB:.1f} GiB here",
            "GPU": ", ".join(self.gpus) or "none",
            "workers": self.workers or "can generate problems and judge answers",
            "sandbox": self.sandbox,
        }

    @property
    def sound(self) -> bool:
        """Whether everything installed works."""
        return not self.workers and not any(extra.unfit for extra in self.extras)


def examine(folder: Path) -> Machine:
    """Check everything; `folder` is where runs would be written."""
    installed = extras()
    torch = _torch(installed)
    gpus = [] if torch is None else _gpus(torch)
    memory = machine_memory()
    return Machine(
        rlve=f"{__version__}, in {Path(__file__).parents[1]}",
        python=f"{platform.python_version()}, {sys.executable}",
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        cores=usable_cores(),
        memory=memory,
        free_disk=shutil.disk_usage(folder).free,
        gpus=gpus,
        sandbox=_sandbox(),
        workers=_workers(),
        extras=installed,
        advice=_advice(installed, torch, gpus, memory),
    )


def extras() -> list[Extra]:
    """The extras of the package as it is installed."""
    names = metadata.metadata("rlve").get_all("Provides-Extra") or []
    wanted: dict[str, dict[str, str]] = {name: {} for name in names if name != "dev"}
    for text in metadata.requires("rlve") or []:
        if (match := REQUIREMENT.match(text)) and match[3] in wanted:
            wanted[match[3]][match[1]] = match[2]
    return [_extra(name, libraries) for name, libraries in wanted.items()]


def _extra(name: str, libraries: dict[str, str]) -> Extra:
    installed: dict[str, str] = {}
    missing: list[str] = []
    unfit: list[str] = []
    for library, versions in libraries.items():
        try:
            installed[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            missing.append(library)
            continue
        if not fits(installed[library], versions):
            unfit.append(f"{library} {installed[library]}, not {versions}")
    return Extra(name, installed, missing, unfit)


def fits(version: str, wanted: str) -> bool:
    """Whether a version satisfies requirements such as >=2.60,<3 or ==1.16.*"""
    order = version_order(version)
    for part in filter(None, wanted.split(",")):
        if part.startswith(">="):
            right = order >= version_order(part[2:])
        elif part.startswith("<"):
            right = order < version_order(part[1:])
        elif part.startswith("=="):
            only = version_order(part[2:].removesuffix(".*"))
            right = order[: len(only)] == only
        else:
            raise ValueError(f"{part!r} is not a kind of requirement that we use")
        if not right:
            return False
    return True


def machine_memory() -> int | None:
    """Bytes of memory that this machine has, or that its container may use."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
    limit = Path("/sys/fs/cgroup/memory.max")
    text = limit.read_text().strip() if limit.exists() else "max"
    return min(physical, int(text)) if text.isdigit() else physical


def _torch(found: list[Extra]) -> Any:
    train = next(extra for extra in found if extra.name == "train")
    if "torch" not in train.installed:
        return None
    share_cores()
    import torch

    return torch


def _gpus(torch: Any) -> list[str]:
    if not torch.cuda.is_available():
        return []
    cards = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    return [f"{card.name}, {card.total_memory / GIB:.0f} GiB" for card in cards]


def _sandbox() -> str:
    try:
        with Sandbox() as sandbox:
            visible = sandbox.visible
    except (UserError, SandboxError, OSError) as error:
        return str(error)
    works = "works: models' programs can be run (LiveCodeBench)"
    if visible is None:
        return works
    return (
        f"{works}; they can see which paths exist, because namespaces are not available: {visible}"
    )


def _workers() -> str:
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
    return ""


def _advice(found: list[Extra], torch: Any, gpus: list[str], memory: int | None) -> list[str]:
    """What will be slow or cannot be done, and what to do about it."""
    advice: list[str] = []
    installed = {extra.name for extra in found if not extra.missing and not extra.unfit}
    has_card = shutil.which("nvidia-smi") is not None
    if "train" not in installed:
        advice.append("Training and models in this process need torch: pip install 'rlve[train]'")
    elif not gpus and has_card:
        advice.append(
            "There seems to be an NVIDIA GPU, but torch does not see it. Install the matching "
            f"build of torch; this one is {torch.__version__}"
        )
    if not gpus:
        advice.append(
            "Without a GPU, training is for nano and other tiny models. Everything else works just "
            "as well without one."
        )
    elif "vllm" not in installed:
        advice.append("The paper's presets sample with vLLM: pip install 'rlve[vllm]'")
    if usable_cores() < 4:
        advice.append(
            f"With {quantity(usable_cores(), 'core')}, exporting and checking many environments "
            "takes a long time: there is one worker per core."
        )
    if memory is not None and memory < 4 * GIB:
        advice.append("With less than 4 GiB of memory, use --workers 1, or --run.workers 1.")
    for extra in found:
        if extra.unfit:
            advice.append(f"pip install 'rlve[{extra.name}]' installs the versions we tested.")
    return advice
