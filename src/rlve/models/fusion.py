"""Fewer kernels for the same results, on a GPU.

A pass of a small model is thousands of kernels that each do very little, so what counts is their
number. Without rewriting models, these become one kernel each:

    norms            RMS norms; in sampling also the cast of the result
    rotations        of queries and keys by their positions
    gates            the activation of the gate, times the other half
    adapters         in training: what they add, with its scale, in their second matrix product
    projections      in sampling: matrix products of the same input, which are queries, keys and
                     values, and the two halves of a gated layer

Each replacement is first compared with the model's own code on random numbers. If the results
differ (some norms add 1 to their weights, some models rotate in another way), the model keeps its
own.

Sampling uses a copy of the model, whose modules get new functions. The modules of the model that is
trained get subclasses of their own classes, since it may be copied with its modules.
"""

from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

SAME_INPUT = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""Names of layers that read the same input, in nearly all models."""
ROTATE = "apply_rotary_pos_emb"  # the function that nearly all models rotate with
SILU = {"SiLU", "SiLUActivation"}
NEAR = {torch.float32: 1e-5}
NEAR_HALF = 2e-2


def fuse_for_training(model: Any) -> None:
    """Fuse what can be fused in a model that is trained on a GPU."""
    kinds: dict[tuple[type, bool], type | None] = {}
    for module in model.modules():
        kind = type(module)
        gate = _is_gate(module)
        if (kind, gate) not in kinds:
            kinds[kind, gate] = _trained(module)
        if (fused := kinds[kind, gate]) is not None:
            module.__class__ = fused


def fuse_adapters(model: Any) -> None:
    """Let adapters of linear layers compute in the type of their input, and add in one kernel.

    peft casts the input to the type of the adapters, which is single precision, and autocast casts
    it back: an activation more to write and to keep for every layer. Its product is then scaled and
    added in two more kernels.
    """
    from peft.tuners.lora import Linear  # pyright: ignore

    kinds: dict[type, type] = {}
    for module in model.modules():
        kind = type(module)
        plain = isinstance(module, Linear) and isinstance(module.base_layer, nn.Linear)
        if plain and not module.lora_variant and not any(module.lora_bias.values()):
            if kind not in kinds:
                kinds[kind] = type(f"Fused{kind.__name__}", (kind,), {"forward": _adapted})
            module.__class__ = kinds[kind]


def _adapted(self: Any, x: Tensor) -> Tensor:
    out: Tensor = self.base_layer(x)
    if self.disable_adapters:
        return out
    [name] = self.active_adapters
    inner = functional.linear(x, self.lora_A[name].weight).flatten(0, -2)
    rows, second = out.flatten(0, -2), self.lora_B[name].weight
    return torch.addmm(rows, inner, second.T, alpha=self.scaling[name]).view_as(out)


@torch.no_grad()
def _trained(module: Any) -> type | None:
    """A faster subclass of this module's class, if there is one."""
    kind, name = type(module), f"Fused{type(module).__name__}"
    if _is_norm(module) and _epsilon(module) is not None:
        fused = type(name, (kind,), {"forward": _plain_norm})
        probe = _random(module.weight, 8, *module.weight.shape)
        return fused if _near(_plain_norm(module, probe), module(probe), torch.float32) else None
    if _is_gate(module):
        fused = type(name, (kind,), {"forward": _plain_gate})
        weight = module.gate_proj.weight
        probe = _random(weight, 8, weight.shape[1]).to(weight.dtype)
        return fused if _near(_plain_gate(module, probe), module(probe), weight.dtype) else None
    if _rotates(kind):
        forward = _with_our_rotation(kind, next(module.parameters()))
        return None if forward is None else type(name, (kind,), {"forward": forward})
    return None


def _plain_norm(self: Any, hidden_states: Tensor) -> Tensor:
    states = hidden_states.float()
    normed = functional.rms_norm(states, self.weight.shape, self.weight, _epsilon(self))
    return normed.to(hidden_states.dtype)


def _plain_gate(self: Any, x: Tensor) -> Tensor:
    from rlve.models.fused_kernels import gated_pair

    return self.down_proj(gated_pair(self.gate_proj(x), self.up_proj(x)))


def _is_norm(module: Any) -> bool:
    """Whether it may be an RMS norm with weights; some of Gemma 4's have none."""
    return type(module).__name__.endswith("RMSNorm") and getattr(module, "weight", None) is not None


def _epsilon(module: Any) -> float | None:
    return getattr(module, "variance_epsilon", getattr(module, "eps", None))


def _is_gate(module: Any) -> bool:
    """Whether it may compute down(silu(gate) * up)."""
    layers = [getattr(module, name, None) for name in ("gate_proj", "up_proj", "down_proj")]
    silu = type(getattr(module, "act_fn", None)).__name__ in SILU
    return silu and all(isinstance(layer, nn.Linear) for layer in layers)


def fuse_for_sampling(copied: Any, dtype: torch.dtype, *, kernels: bool) -> None:
    """Fuse what can be fused in a copy whose matrices are of this type.

    kernels   whether our Triton kernels can be used
    """
    hidden = copied.config.get_text_config().hidden_size
    rotating: dict[type, Callable[..., Any] | None] = {}
    for module in copied.modules():
        if _is_norm(module):
            _fuse_norm(module, hidden, dtype, kernels=kernels)
        for names in SAME_INPUT:
            layers = [getattr(module, name, None) for name in names]
            if _alike(layers):
                joined = _Joined(layers)
                if kernels and names[0] == "gate_proj":
                    _fuse_gate(module, joined)
        kind = type(module)
        if kernels and _rotates(kind):
            if kind not in rotating:
                rotating[kind] = _with_our_rotation(kind, next(module.parameters()))
            if (forward := rotating[kind]) is not None:
                module.forward = MethodType(forward, module)


def _near(found: Tensor, expected: Tensor, dtype: torch.dtype) -> bool:
    """Whether numbers of this type differ by rounding alone; sums round as their largest terms."""
    near = NEAR.get(dtype, NEAR_HALF) * float(expected.abs().max())
    return torch.allclose(found.float(), expected.float(), rtol=0, atol=near)


def _random(like: Tensor, *shape: int) -> Tensor:
    """Random numbers, without disturbing anyone else's."""
    generator = torch.Generator(like.device).manual_seed(0)
    return torch.randn(shape, generator=generator, device=like.device)


def _fuse_norm(module: nn.Module, hidden: int, dtype: torch.dtype, *, kernels: bool) -> None:
    weight = cast(Tensor, module.weight)
    epsilon = _epsilon(module)
    size = tuple(weight.shape)
    # The sum of all layers goes into matrix products, which would each cast it.
    wanted = dtype if size == (hidden,) else weight.dtype

    def forward(states: Tensor) -> Tensor:
        if kernels and epsilon is not None and states.is_contiguous():
            from rlve.models.fused_kernels import norm

            return norm(states, weight, epsilon, wanted)
        return functional.rms_norm(states.float(), size, weight, epsilon).to(wanted)

    probe = _random(weight, 8, *size)
    if _near(forward(probe), module(probe), wanted):
        module.forward = forward


def _alike(layers: Sequence[Any]) -> bool:
    """Whether these are ordinary linear layers that can be one."""
    if not all(type(layer) is nn.Linear for layer in layers):
        return False
    kinds = {(layer.in_features, layer.weight.dtype, layer.bias is None) for layer in layers}
    return len(kinds) == 1


class _Joined:
    """Linear layers of one input as a single matrix product, whichever of them is called first.

    Their weights become parts of one matrix, and keep their names.
    """

    def __init__(self, layers: Sequence[Any]) -> None:
        self.sizes = [layer.out_features for layer in layers]
        self.weight = torch.cat([layer.weight.data for layer in layers])
        for layer, part in zip(layers, self.weight.split(self.sizes), strict=True):
            layer.weight.data = part
        self.bias: Tensor | None = None
        if layers[0].bias is not None:
            self.bias = torch.cat([layer.bias.data for layer in layers])
            for layer, part in zip(layers, self.bias.split(self.sizes), strict=True):
                layer.bias.data = part
        self._input: Tensor | None = None
        self._outputs: dict[int, Tensor] = {}
        for index, layer in enumerate(layers):
            layer.forward = self._layer(index)

    def __call__(self, states: Tensor) -> Tensor:
        """The outputs of all layers, side by side."""
        return functional.linear(states, self.weight, self.bias)

    def _layer(self, index: int) -> Callable[[Tensor], Tensor]:
        def forward(input: Tensor) -> Tensor:  # noqa: A002  its name there
            if input is not self._input or index not in self._outputs:
                self._input = input
                self._outputs = dict(enumerate(self(input).split(self.sizes, -1)))
            output = self._outputs.pop(index)
            if not self._outputs:
                self._input = None  # nothing is kept longer than it is needed
            return output

        return forward


def _fuse_gate(module: Any, joined: _Joined) -> None:
    """Compute down(silu(gate) * up) with one kernel between the matrix products."""
    if not _is_gate(module):
        return

    def forward(states: Tensor) -> Tensor:
        from rlve.models.fused_kernels import gated

        return module.down_proj(gated(joined(states)))

    dtype = joined.weight.dtype
    probe = _random(joined.weight, 8, joined.weight.shape[1]).to(dtype)
    if _near(forward(probe), module(probe), dtype):
        module.forward = forward


def _rotates(kind: type) -> bool:
    forward = getattr(kind, "forward", None)
    return isinstance(forward, FunctionType) and ROTATE in forward.__code__.co_names


def _with_our_rotation(kind: Any, like: Tensor) -> Callable[..., Any] | None:
    """The forward function of this class with our kernel for rotating; None if that differs."""
    from rlve.models.fused_kernels import Rotated, rotated

    forward = cast(FunctionType, kind.forward)
    own = forward.__globals__[ROTATE]

    def rotate(
        query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, *rest: Any, **more: Any
    ) -> Any:
        plain = query.ndim == 4 and cos.ndim == 3 and not rest and not more
        if plain and cos.shape[-1] == query.shape[-1] == key.shape[-1]:
            if torch.is_grad_enabled():
                return Rotated.apply(query, key, cos, sin)
            return rotated(query, key, cos, sin)
        return own(query, key, cos, sin, *rest, **more)

    numbers = _random(like, 2, 5, 7, 16).to(like.dtype)
    angles = _random(like, 2, 7, 16)
    given = (numbers[:, :3], numbers[:, 3:], angles.cos(), angles.sin())
    try:
        expected = own(*given)
    except (RuntimeError, TypeError, ValueError):  # it takes something else
        return None
    pairs = zip(rotate(*given), expected, strict=True)
    if not all(_near(found, wanted, like.dtype) for found, wanted in pairs):
        return None
    # The library's own function stays as it is, for everyone else.
    names = {**forward.__globals__, ROTATE: rotate}
    ours = FunctionType(
        forward.__code__, names, forward.__name__, forward.__defaults__, forward.__closure__
    )
    ours.__kwdefaults__ = forward.__kwdefaults__
    return ours
