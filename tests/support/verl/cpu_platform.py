"""Lets verl run on a CPU, for tests: a platform, and a rollout engine on transformers.

Loaded by verl in each of its processes: VERL_USE_EXTERNAL_MODULES=cpu_platform VERL_PLATFORM=cpu
VERL_ENGINE_DEVICE=cuda. Ray is told that there are GPUs; nothing uses them.
"""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import ray
import torch
from verl.plugin.platform import PlatformBase, PlatformRegistry

torch.set_num_threads(1)

# What verl asks of a device module, and torch.cpu lacks.
for _name in ("empty_cache", "reset_peak_memory_stats", "manual_seed", "manual_seed_all"):
    setattr(torch.cpu, _name, lambda *args: None)
for _name in ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"):
    setattr(torch.cpu, _name, lambda *args: 0)
torch.cpu.mem_get_info = lambda *args: (0, 0)
torch.cpu.set_rng_state = torch.set_rng_state

# verl would ask for "cpu:gloo,cpu:gloo", which torch refuses.
_init_process_group = torch.distributed.init_process_group
torch.distributed.init_process_group = lambda backend=None, **others: _init_process_group(
    "gloo", **others
)


@PlatformRegistry.register(platform="cpu")
class CpuPlatform(PlatformBase):
    device_name = vendor_name = "cpu"
    device_module = torch.cpu

    def is_available(self):
        return True

    def current_device(self):
        return "cpu"  # verl passes it to Tensor.to

    def device_count(self):
        return 1

    def get_device_capability(self, device_index=0):
        return None, None

    def communication_backend_name(self):
        return "gloo"

    def visible_devices_envvar(self):
        return "CUDA_VISIBLE_DEVICES"

    def ray_resource_name(self):
        return "GPU"

    def ray_noset_envvars(self):
        return []

    def nvtx_range(self, msg):
        return nullcontext()

    def is_ipc_supported(self):
        return False

    def _nothing(self, *args):
        return None

    set_device = synchronize = manual_seed = manual_seed_all = set_allocator_settings = _nothing
    empty_cache = profiler_start = profiler_stop = cudart = _nothing


from verl.workers.rollout import base, replica  # noqa: E402  they ask for the platform

base._ROLLOUT_REGISTRY["cpu", "async"] = f"{__name__}.CpuRollout"
replica.RolloutReplicaRegistry.register("cpu", lambda: CpuReplica)


class CpuRollout(base.BaseRollout):
    """In a trainer's process: sends the weights to this rank's server."""

    async def resume(self, tags):
        pass

    async def release(self):
        pass

    async def update_weights(self, weights, global_steps=None, **others):
        server = ray.get_actor(f"cpu_server_{os.environ['RANK']}")
        state = {name: tensor.detach().clone() for name, tensor in weights}
        await server.load.remote(state, global_steps)


class CpuReplica(replica.RolloutReplica):
    async def launch_servers(self):
        name = f"cpu_server_{self.replica_rank}"
        self._server_handle = Server.options(name=name, num_cpus=0, max_concurrency=1000).remote(
            self.model_config.path, self.config.response_length, self.replica_rank
        )
        self.servers = [self._server_handle]
        self._server_address = name


@ray.remote
class Server:
    """Samples all waiting requests together, and answers each as soon as it is finished."""

    def __init__(self, path, max_tokens, rank):
        from transformers import AutoModelForCausalLM

        self._model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        self._max_tokens = max_tokens
        self._random = torch.Generator().manual_seed(rank)
        self._waiting, self._step, self._loop = [], None, None
        self._open = asyncio.Event()
        self._open.set()
        self._thread = ThreadPoolExecutor(1)

    async def generate(self, prompt_ids, sampling_params, request_id, **others):
        await self._open.wait()
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._server = asyncio.create_task(self._serve())
        answer = self._loop.create_future()
        limit = sampling_params.get("max_tokens", self._max_tokens)
        self._waiting.append((list(prompt_ids), sampling_params["temperature"], limit, answer))
        tokens, log_probs, reason = await answer
        return replica.TokenOutput(
            token_ids=tokens,
            log_probs=log_probs,
            stop_reason=reason,
            extra_fields={"global_steps": self._step},
        )

    async def _serve(self):
        while True:
            await asyncio.sleep(0.02)
            batch, self._waiting = self._waiting[:128], self._waiting[128:]
            if batch:
                await self._loop.run_in_executor(self._thread, self._sample, batch)

    @torch.no_grad()
    def _sample(self, batch):
        width = max(len(prompt) for prompt, *_ in batch)
        pads = torch.tensor([width - len(prompt) for prompt, *_ in batch])
        ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt, *_ in batch])
        mask = (torch.arange(width) >= pads[:, None]).long()
        heat = torch.tensor([each[1] or 1e-4 for each in batch])[:, None]  # 0 is greedy
        outputs, cache = [([], []) for _ in batch], None
        going = set(range(len(batch)))
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        while going and self._open.is_set():
            time.sleep(float(os.environ.get("SECONDS_PER_TOKEN", 0)))
            out = self._model(
                input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache
            )
            cache = out.past_key_values
            log_probs = torch.log_softmax(out.logits[:, -1] / heat, -1)
            ids = torch.multinomial(log_probs.exp(), 1, generator=self._random)
            mask = torch.cat([mask, torch.ones_like(ids)], 1)
            positions = positions[:, -1:] + 1
            for row in sorted(going):
                tokens, its = outputs[row]
                tokens.append(ids[row].item())
                its.append(log_probs[row, tokens[-1]].item())
                if tokens[-1] == self._model.config.eos_token_id or len(tokens) >= batch[row][2]:
                    going.discard(row)
                    self._answer(batch[row], (*outputs[row], "completed"))
        for row in going:
            self._answer(batch[row], (*outputs[row], "aborted"))

    def _answer(self, request, result):
        self._loop.call_soon_threadsafe(request[-1].set_result, result)

    async def load(self, state, step):
        await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self._model.load_state_dict(state, strict=False)
        )
        self._step = step

    async def abort_all_requests(self, reject_request=False):
        self._open.clear()
        for request in self._waiting:
            request[-1].set_result(([], [], "aborted"))
        self._waiting = []
        await asyncio.get_running_loop().run_in_executor(self._thread, lambda: None)  # it is idle

    async def resume_generation(self):
        self._open.set()

    async def _nothing(self, *args, **others):
        pass

    wake_up = sleep = clear_kv_cache = release_kv_cache = resume_kv_cache = _nothing
