"""The part of the vLLM engine that runs in vLLM's worker, which alone imports this module.

vLLM must end with the trainer, even with one that is killed while vLLM starts. So the watch begins
when this module is imported, before the worker has loaded anything.
"""

import multiprocessing
import os
import select
import shutil
import signal
import sys
import threading
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from rlve.models.engines.vllm import FOLDER, TRAINER, Contents, opened, row_at


class WorkerExtension:
    """Methods for vLLM's worker; it is mixed into the worker's class."""

    def rlve_seed(self, seed: int) -> None:
        """Restart the random numbers."""
        torch.manual_seed(seed)
        np.random.seed(seed % 2**32)  # noqa: TID251  some of its runners seed requests from it

    def rlve_keep(self) -> None:
        """From now on keep the log-probabilities of sampled tokens here, and do not send them."""
        self.rlve_rows: dict[str, array[float]] = {}
        runner = cast(Any, self).model_runner
        sample = runner.sample_tokens

        def sample_tokens(*arguments: Any) -> Any:
            output = sample(*arguments)
            if not hasattr(output, "get_output"):
                return self._rlve_strip(output)
            wait = output.get_output  # on a GPU, outputs are awaited in another thread
            output.get_output = lambda: self._rlve_strip(wait())
            return output

        runner.sample_tokens = sample_tokens

    def rlve_kept(self, names: list[str]) -> list[bytes]:
        """The log-probabilities of the tokens of each request, which are then forgotten."""
        return [self.rlve_rows.pop(name, array("f")).tobytes() for name in names]

    def _rlve_strip(self, output: Any) -> Any:
        found = getattr(output, "logprobs", None)
        if found is None:
            return output
        chosen = found.logprobs[:, 0].tolist()  # the first is that of the sampled token
        begins = found.cu_num_generated_tokens or range(len(output.req_ids))
        for name, begin, tokens in zip(
            output.req_ids, begins, output.sampled_token_ids, strict=False
        ):
            # vLLM adds random characters to the name of a request.
            row = self.rlve_rows.setdefault(name.partition("-")[0], array("f"))
            row.extend(chosen[begin : begin + len(tokens)])
        output.logprobs = None
        return output

    def rlve_load(self, folder: str) -> None:
        """Replace the weights by those in the folder; used on a CPU."""
        worker = cast(Any, self)
        # Here weights are packed when they are loaded, and load_weights() knows no packed ones.
        worker.reload_weights(weights_iterator=_weights_in(Path(folder)))
        # A head that shares the embedding's weights keeps its own packed copy of the old ones.
        head = getattr(worker.model_runner.get_model(), "lm_head", None)
        if head is not None and hasattr(head, "quant_method"):
            head.quant_method.process_weights_after_loading(head)

    def rlve_take(self, contents: Contents, address: list[Any]) -> None:
        """Replace some weights by those in a parcel, which is in the trainer's memory."""
        model = cast(Any, self).model_runner.get_model()
        model.load_weights(opened(contents, row_at(address)))
        torch.cuda.synchronize()  # the trainer gives the parcel up when this returns


def _weights_in(folder: Path) -> Iterator[tuple[str, torch.Tensor]]:
    from safetensors import safe_open

    for path in sorted(folder.glob("*.safetensors")):
        with cast(Any, safe_open)(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118  it is no dict
                yield name, file.get_tensor(name)


def _watch(trainer: int, folder: Path) -> None:
    """When the trainer ends, remove its folder and end this process, and the core it belongs to."""
    with suppress(ProcessLookupError):  # it has already ended
        select.select([os.pidfd_open(trainer)], [], [])
    shutil.rmtree(folder, ignore_errors=True)
    core = multiprocessing.parent_process()  # the trainer, if the worker is in the core's process
    if core is not None and core.pid not in (None, trainer) and core.is_alive():
        os.kill(core.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


if sys.platform == "linux":
    threading.Thread(
        target=_watch, args=(int(os.environ[TRAINER]), Path(os.environ[FOLDER])), daemon=True
    ).start()
