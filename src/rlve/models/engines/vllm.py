"""Sampling with vLLM in a process of its own, for large models.

After each step the new weights replace the old ones in place. On a GPU vLLM reads them from the
trainer's memory (CUDA's inter-process communication), otherwise from a file. Every time, it is
checked that they have arrived: the log-probabilities of a fixed prompt must agree with those of the
trained model. Rollouts that are stopped keep their tokens and log-probabilities, and continue from
there when they are submitted again. While nothing is sampled, vLLM sleeps and leaves its GPU memory
to the update.

vLLM's own way of returning the log-probability of each token costs this process six times as much
time as the token itself: 30 us where it was measured, that is, 33,000 tokens a second at most. So
its worker keeps them, and is asked for those of an output once that has ended.

vLLM keeps sampling while the trainer does something else, so the samples depend on timing. Unlike
with the in-process engine, runs cannot be repeated exactly, nor resumed as if they had never
stopped. A resumed run does not reuse random numbers, though.
"""

import asyncio
import math
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
from array import array
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import aclosing
from importlib import import_module
from multiprocessing import resource_tracker
from pathlib import Path
from random import Random
from typing import Any, Self, TypeAlias, TypeVar, cast

import torch
from torch.multiprocessing.reductions import rebuild_cuda_tensor, reduce_tensor

from rlve.errors import UserError
from rlve.models.engines.choice import EngineSettings, examples
from rlve.models.engines.weights import base_of, stored_weights, whole_weights
from rlve.models.logprobs import logprobs_of
from rlve.models.policy import Policy
from rlve.models.rollouts import Ending, Rollout
from rlve.models.stop_strings import stop_strings

T = TypeVar("T")
Contents: TypeAlias = list[tuple[str, list[int]]]
"""The names and shapes of weights in one flat tensor."""

LINGER = 0.05  # seconds that collect() waits for others once a rollout has ended
PROBE_TOKENS = 32  # in the prompt on which vLLM and the trained model are compared
HANDED_OVER = 2**30  # bytes of weights to send to vLLM at a time, since they are copied
MEMORY = Path("/dev/shm")  # noqa: S108  a file system in memory: weights need not touch a disk
# What the worker is told by its environment: whom to end with, and which folder to remove then.
TRAINER, FOLDER = "RLVE_VLLM_TRAINER", "RLVE_VLLM_FOLDER"
WORKER = "rlve.models.engines.vllm_worker.WorkerExtension"


class VllmEngine:
    """Samples from a copy of the policy that vLLM holds.

    slots     rollouts to sample at the same time
    memory    the share of the GPU's memory (of the machine's if there is no GPU) that vLLM takes
    dtype     the precision of vLLM; by default bfloat16 on a GPU and float32 on a CPU
    context   the longest prompt plus the longest output; by default the model's context length
    sleep     leave the GPU's memory to the trainer while nothing is sampled
    probe     the prompt on which vLLM and the trained model are compared: tokens of a text, since
              on random tokens half precision itself is far off; by default they are random
    """

    def __init__(
        self,
        policy: Policy,
        *,
        max_tokens: int,
        slots: int = 256,
        temperature: float = 1.0,
        top_p: float = 1.0,
        memory: float = 0.3,
        seed: int = 0,
        dtype: torch.dtype | None = None,
        context: int | None = None,
        sleep: bool = True,
        probe: Sequence[int] = (),
    ) -> None:
        vllm = _import_vllm()
        on_gpu = next(policy.model.parameters()).device.type == "cuda"
        self.dtype = dtype or (torch.bfloat16 if on_gpu else torch.float32)
        self.on_gpu = on_gpu
        self.sleeps = sleep and on_gpu
        self.stop_tokens = frozenset(policy.stop_tokens)
        self.stop_strings = stop_strings(policy.tokenizer, policy.stop_strings)
        self.max_tokens = max_tokens
        self.temperature = temperature
        self.top_p = top_p
        self.context = context
        self.seed = seed
        self.updates = 0
        self._prompt = import_module("vllm.inputs").tokens_input
        self._sampling = vllm.SamplingParams
        self._kinds = vllm.sampling_params.RequestOutputKind
        self._settings: dict[str, Any] = {
            "logprobs": 0,  # only of the sampled token
            "stop_token_ids": sorted(self.stop_tokens),
            "ignore_eos": True,  # the tokens that end an output are given above
            "detokenize": False,
            "output_kind": self._kinds.FINAL_ONLY,
        }
        try:
            self._parameters(self.max_tokens)
        except Exception as error:  # which class it is of depends on the version
            raise UserError(f"vLLM cannot sample like this: {_first_line(error)}") from error
        self._flying: dict[int, Rollout] = {}  # submitted and not yet returned; by id()
        self._begun: dict[int, tuple[str, int]] = {}  # their requests, and their tokens before
        self._requests: dict[str, asyncio.Task[None]] = {}  # used only in the loop's thread
        self._count = 0
        self._probes = 0
        self._ended: queue.SimpleQueue[Rollout | Exception] = queue.SimpleQueue()
        self._probe = list(probe)[: None if context is None else context - 1]
        if len(self._probe) < 2:
            self._probe = _probe_of(policy.model.config.get_text_config().vocab_size)
        self._llm: Any = None
        self._awake = True
        self._aborting = False  # changed only in the loop's thread
        self._closed = False

        self._folder = _folder_for(policy.model, self.dtype)
        self._loop = asyncio.new_event_loop()
        resource_tracker.ensure_running()  # when it starts, it unblocks what _run() blocks
        self._thread = threading.Thread(target=self._run, name="rlve-vllm", daemon=True)
        self._thread.start()
        try:
            policy.model.config.save_pretrained(self._folder)
            write_weights(policy.model, self._folder, self.dtype)
            arguments = vllm.AsyncEngineArgs(
                model=str(self._folder),
                skip_tokenizer_init=True,  # tokens go in, and tokens come out
                generation_config="vllm",  # not the model's own defaults for sampling
                dtype=str(self.dtype).removeprefix("torch."),
                seed=seed,
                max_model_len=context,
                max_num_seqs=slots,
                gpu_memory_utilization=memory,
                enforce_eager=not on_gpu,  # compiling takes longer than it saves on a CPU
                # By itself it records no steps of more than 512 rows.
                max_cudagraph_capture_size=slots if on_gpu and slots > 512 else None,
                logprobs_mode="processed_logprobs",  # at the temperature they are sampled at
                worker_extension_cls=WORKER,
                enable_sleep_mode=self.sleeps,
                disable_log_stats=True,
            )
            self._llm = self._wait(_start(vllm, arguments, self._folder))
            self._call("rlve_keep")
            self._gap = self._gap_to(policy.model)
            if on_gpu:  # it was read, and others come another way
                for path in self._folder.glob("*.safetensors"):
                    path.unlink()
        except BaseException as error:
            self.close()
            if isinstance(error, Exception) and not isinstance(error, UserError):
                raise UserError(
                    f"vLLM did not start, see its messages above; if memory is short, change "
                    f"rollout.memory ({memory:g}): {_first_line(error)}"
                ) from error
            raise
        if not self._gap < 0.5:
            self.close()
            raise UserError(
                f"vLLM and transformers disagree on this model: the "
                f"log-probabilities of a prompt differ by {self._gap:.3g} on average"
            )

    @classmethod
    def for_policy(cls, policy: Policy, settings: EngineSettings) -> Self:
        return cls(
            policy,
            **settings.common,
            memory=cast(float, settings.memory),  # by default that of its row in the table
            sleep=settings.sleep,
            probe=examples(policy)[0],
        )

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        if rollouts:
            self._wake()
        for rollout in rollouts:
            self._flying[id(rollout)] = rollout
            if self._ending_of(rollout) is not None:
                self._ended.put(rollout)  # it ended just before it was stopped
                continue
            self._count += 1
            name, context = str(self._count), rollout.context
            left = rollout.limit(self.max_tokens, self.context) - len(rollout.tokens)
            self._begun[id(rollout)] = name, len(rollout.tokens)
            self._loop.call_soon_threadsafe(self._begin, name, rollout, context, left)

    def collect(self) -> list[Rollout]:
        ended: list[Rollout] = []
        deadline: float | None = None
        while len(ended) < len(self._flying):
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                found = self._ended.get(timeout=left)
            except queue.Empty:
                break
            ended.append(_sound(found))
            if deadline is None:
                deadline = time.monotonic() + LINGER
        self._fetch(ended)
        for rollout in ended:
            del self._flying[id(rollout)]
            rollout.ending = self._ending_of(rollout)
        return ended

    def stop(self) -> list[Rollout]:
        self._wait(self._abort())
        unfinished = list(self._flying.values())
        self._fetch(unfinished)
        self._flying.clear()
        # Rollouts that ended but were not collected are returned as well. They are complete:
        # submitted again, they end at once.
        while not self._ended.empty():
            _sound(self._ended.get_nowait())
        if self.sleeps and self._awake:
            self._wait(self._llm.sleep(level=1))
            self._awake = False
        return unfinished

    def update(self, model: Any) -> None:
        self.updates += 1
        self._wake()
        if self.on_gpu:
            for contents, row in parcels(model, self.dtype, HANDED_OVER):
                self._call("rlve_take", contents, _address(row))
            torch.cuda.ipc_collect()
        else:
            write_weights(model, self._folder, self.dtype)
            self._call("rlve_load", str(self._folder))
        self.reseed(Random(f"{self.seed} {self.updates}").getrandbits(63))
        if not self._wait(self._llm.reset_prefix_cache()):
            raise RuntimeError("vLLM did not clear the keys and values of the old weights")
        gap = self._gap_to(model)
        # Rounding differs from step to step, but not by much.
        allowed = 3 * self._gap + (1e-3 if self.dtype == torch.float32 else 2e-2)
        if not gap <= allowed:
            raise RuntimeError(
                f"vLLM does not compute with the new weights: the log-probabilities of a prompt "
                f"differ from the trained model's by {gap:.3g} on average, and by {self._gap:.3g} "
                "when the run began"
            )

    def reseed(self, seed: int) -> None:
        self._call("rlve_seed", seed)

    def state_dict(self) -> dict[str, Any]:
        return {"updates": self.updates}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        # The next update() starts random numbers that the run has not used yet.
        self.updates = state["updates"]

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if self._llm is not None:
                self._wait(self._close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one of vLLM's coroutines in the loop's thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _call(self, method: str, *arguments: object) -> Any:
        """Call a method of WorkerExtension (vllm_worker.py) in the worker."""
        return self._wait(self._llm.collective_rpc(method, args=arguments))[0]

    def _fetch(self, rollouts: Sequence[Rollout]) -> None:
        """Add the log-probabilities of what was sampled since the rollouts were submitted."""
        sampled = [rollout for rollout in rollouts if id(rollout) in self._begun]
        if not sampled:
            return
        begun = [self._begun.pop(id(rollout)) for rollout in sampled]
        kept = self._call("rlve_kept", [name for name, _ in begun])
        for rollout, (_, before), row in zip(sampled, begun, kept, strict=True):
            # Of a rollout that was stopped, the worker may have sampled a token more.
            logprobs = array("f", row)[: len(rollout.tokens) - before]
            if len(logprobs) < len(rollout.tokens) - before:
                raise RuntimeError("vLLM did not keep the log-probabilities of its tokens")
            rollout.logprobs += logprobs

    def _wake(self) -> None:
        if not self._awake:
            torch.cuda.empty_cache()  # what the update holds and no longer uses
            self._wait(self._llm.wake_up())
            self._awake = True

    def _ending_of(self, rollout: Rollout) -> Ending | None:
        tokens, begin = rollout.tokens, rollout.begin
        begun = len(tokens) > begin  # otherwise the last token was given
        if begun and tokens[-1] in self.stop_tokens:
            return "stop"
        texts = self.stop_strings if begun else None
        if texts is not None and texts.end(tokens, len(tokens) - 1, begin) is not None:
            return "stop"
        return "length" if len(tokens) >= rollout.limit(self.max_tokens, self.context) else None

    # In the loop's thread:

    def _run(self) -> None:
        # Processes inherit this: a terminal or a cluster sends these to all of them, but only the
        # trainer should react, and vLLM must finish the step.
        ending = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)
        self._loop.run_forever()

    def _begin(self, name: str, rollout: Rollout, context: list[int], left: int) -> None:
        task = self._loop.create_task(self._sample(name, rollout, context, left))
        self._requests[name] = task

    async def _sample(self, name: str, rollout: Rollout, context: list[int], left: int) -> None:
        try:
            reason = None
            outputs = self._llm.generate(self._prompt(context), self._parameters(left), name)
            async with aclosing(outputs):  # one that is left early is aborted
                async for output in outputs:
                    [sampled] = output.outputs
                    reason = sampled.finish_reason
                    if self._take(rollout, list(sampled.token_ids)):
                        break
            if self._ending_of(rollout) is not None:
                self._ended.put(rollout)
            elif reason != "abort" or not self._aborting:
                raise RuntimeError(f"it ended an output early: {reason}")
        except Exception as error:  # noqa: BLE001  collect() raises it in the trainer's thread
            self._ended.put(error)
        finally:
            del self._requests[name]

    def _take(self, rollout: Rollout, tokens: list[int]) -> bool:
        """Add new tokens to a rollout, and return whether a stop string ends it."""
        known = len(rollout.tokens)
        rollout.tokens += tokens
        if self.stop_strings is None:
            return False
        end = self.stop_strings.end(rollout.tokens, known, rollout.begin)
        if end is not None:
            del rollout.tokens[end:]
        return end is not None

    def _parameters(self, max_tokens: int) -> Any:
        """vLLM's settings for sampling this many tokens."""
        settings = dict(self._settings)
        if self.stop_strings is not None:  # it has no tokenizer: we look, at each token
            settings["output_kind"] = self._kinds.DELTA
        return self._sampling(
            temperature=self.temperature, top_p=self.top_p, max_tokens=max_tokens, **settings
        )

    async def _abort(self) -> None:
        self._aborting = True
        try:
            # A request that has not reached vLLM yet cannot be aborted, so this is repeated.
            while self._requests:
                await self._llm.abort(list(self._requests))
                await asyncio.wait(list(self._requests.values()), timeout=0.05)
        finally:
            self._aborting = False

    def _gap_to(self, model: Any) -> float:
        """The mean difference between vLLM's and the model's log-probabilities of the prompt."""
        theirs = torch.tensor(self._wait(self._probed()))
        device = next(model.parameters()).device.type
        # vLLM's weights are rounded: it sees no step that is smaller than half of their last bit,
        # and such steps, all in one direction, add up to large differences in single precision.
        with torch.autocast(device, self.dtype, enabled=self.dtype != torch.float32):
            ours = logprobs_of(model, self._probe)
        return float((theirs - ours).abs().mean())

    async def _probed(self) -> list[float]:
        probing = {"temperature": 1.0, "max_tokens": 1, "prompt_logprobs": 0, "logprobs": None}
        settings = self._sampling(**{**self._settings, **probing})
        self._probes += 1
        name = f"probe {self._probes}"
        [output] = [o async for o in self._llm.generate(self._prompt(self._probe), settings, name)]
        pairs = zip(self._probe[1:], output.prompt_logprobs[1:], strict=True)
        return [chances[token].logprob for token, chances in pairs]

    async def _close(self) -> None:
        tasks = list(self._requests.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._llm.shutdown(timeout=0)  # kills: its processes block the signal that asks them
        self._llm = None


def parcels(model: Any, dtype: torch.dtype, size: int) -> Iterator[tuple[Contents, torch.Tensor]]:
    """A model's weights with adapters merged, in flat tensors of about this many bytes."""
    contents: Contents = []
    weights: list[torch.Tensor] = []
    for name, weight in stored_weights(model):
        contents.append((name, list(weight.shape)))
        weights.append(weight.detach().to(dtype).flatten())
        if sum(each.nbytes for each in weights) >= size:
            yield contents, torch.cat(weights)
            contents, weights = [], []
    if weights:
        yield contents, torch.cat(weights)


def opened(contents: Contents, row: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """The names and weights in a parcel."""
    at = 0
    for name, shape in contents:
        count = math.prod(shape)
        yield name, row[at : at + count].view(shape)
        at += count


def _address(row: torch.Tensor) -> list[Any]:
    """Where another process finds a tensor on a shared GPU, as plain numbers and bytes."""
    where = cast(Any, reduce_tensor)(row)[1]
    return [str(row.dtype).removeprefix("torch."), len(row), *where[6:]]


def row_at(address: list[Any]) -> torch.Tensor:
    dtype, length, *where = address
    plain = (torch.Tensor, (length,), (1,), 0, torch.storage.TypedStorage, getattr(torch, dtype))
    return cast(Any, rebuild_cuda_tensor)(*plain, *where)


def write_weights(model: Any, folder: Path, dtype: torch.dtype) -> None:
    """Write a model's weights as a Hugging Face checkpoint, with adapters merged."""
    from transformers.utils import logging

    with torch.no_grad():
        found = whole_weights(model)
        weights = {name: weight.to("cpu", dtype).contiguous() for name, weight in found}
    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # after every step, it would spoil the live view
    base_of(model).save_pretrained(folder, state_dict=weights)
    if bars:
        logging.enable_progress_bar()


def _probe_of(vocabulary: int) -> list[int]:
    """A prompt of tokens from all over the vocabulary."""
    rng = Random(0)
    return [rng.randrange(vocabulary) for _ in range(PROBE_TOKENS)]


def _folder_for(model: Any, dtype: torch.dtype) -> Path:
    """A new folder for weights, in memory if there is room for them twice."""
    size = sum(parameter.numel() for parameter in model.parameters()) * dtype.itemsize
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2 * size
    return Path(tempfile.mkdtemp(prefix="rlve-vllm-", dir=MEMORY if roomy else None))


async def _start(vllm: Any, arguments: Any, folder: Path) -> Any:
    os.environ |= {TRAINER: str(os.getpid()), FOLDER: str(folder)}
    # Without it, vLLM reads prompts in small portions, as suits a server.
    batches = import_module("vllm.usage.usage_lib").UsageContext.LLM_CLASS
    try:
        return vllm.AsyncLLMEngine.from_engine_args(arguments, usage_context=batches)
    finally:
        del os.environ[TRAINER], os.environ[FOLDER]


def _import_vllm() -> Any:
    # Before it is imported: few messages, no telemetry, and no fork of a process with threads.
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
    try:
        return import_module("vllm")
    except ImportError as error:
        raise UserError(
            f"rollout.engine vllm needs vLLM: pip install 'rlve[vllm]' ({error})"
        ) from error


def _sound(found: Rollout | Exception) -> Rollout:
    if isinstance(found, Exception):
        line = _first_line(found)
        raise UserError(f"vLLM failed, see its messages above: {line}") from found
    return found


def _first_line(error: BaseException) -> str:
    lines: Iterable[str] = str(error).strip().splitlines()
    return next(iter(lines), type(error).__name__)
