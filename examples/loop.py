"""The whole method on one page: from a curriculum to better weights.

    python examples/loop.py --steps 60

Reinforcement learning with adaptive verifiable environments repeats six things:

    draw     the curriculum picks an environment and a difficulty, and a problem is generated
    sample   the policy answers every problem several times: a group of outputs
    judge    the environment says, by program, how good each output is
    keep     a group whose outputs are all equally good teaches nothing, and is dropped
    update   outputs that are better than their group become more likely, the others less likely
    adapt    once the policy has mastered the highest difficulty h, h rises by one

`rlve train` is this loop for long runs and large models. It adds what this page leaves out:

    - partial rollouts: outputs that are unfinished when the batch is full are resumed in the next
      step; here we wait for every output, and start no extra problems (oversampling)
    - importance weights, for an engine that samples differently from what the model computes
    - packing: micro-batches, and one row for all outputs of a prompt; here a batch is one pass
    - sampling, judging and generating at the same time
    - chat templates, other losses, a KL term, several updates per step, LoRA, GPUs
    - checkpoints and exact resuming, a limit on prompts, metrics, reports
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle torch threads must not block workers

import torch
import tyro
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

import rlve
from rlve.models.locations import NANO

ENVIRONMENTS = ["Sorting", "MinimalCyclicShift", "ABProgramSimulation"]  # nano was taught these
TAU_ACC = 0.7  # h rises when this share of outputs at h is right; 0.9 in the paper
WINDOW = 8  # most levels to draw from; 4 in the paper
LIMIT = 64  # most tokens in an output; 24,576 in the paper
RATE = 5e-5  # learning rate; 2e-6 in the paper, for models a thousand times larger
CLIP_LOW, CLIP_HIGH = 0.2, 0.28  # wider above than below: unlikely tokens can still grow
ROUNDS = 4  # most rounds of drawing problems in a step, even if its batch is not full


def main(steps: int = 60, problems: int = 32, group: int = 8, seed: int = 0) -> None:
    """Train nano, and print the share of test problems it solves before and after."""
    torch.manual_seed(seed)
    policy = Policy(NANO)
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    adaptive = rlve.CurriculumSettings(tau_acc=TAU_ACC, window=WINDOW)
    with rlve.Gym(
        ENVIRONMENTS, group=group, seed=seed, format="plain", signal="correct", curriculum=adaptive
    ) as gym:
        print(f"solved before: {accuracy(gym, policy):.1%}", flush=True)
        for step in range(1, steps + 1):
            batch = collect(gym, policy, problems)
            loss = update(policy, optimizer, batch) if batch else 0.0
            schedule.step()
            bounds = gym.step().bounds
            highest = ", ".join(f"{name} {high}" for name, (_, high) in bounds.items())
            print(f"step {step}: {len(batch)} outputs, loss {loss:+.4f}, h: {highest}", flush=True)
        print(f"solved after: {accuracy(gym, policy):.1%}")


@dataclass
class Output:
    """What the policy wrote for a prompt, and how much better it is than its group."""

    prompt: list[int]
    tokens: list[int]
    text: str
    advantage: float = 0.0


def collect(gym: rlve.Gym, policy: "Policy", problems: int) -> list[Output]:
    """A batch to learn from: draw problems until there are enough groups with signal."""
    batch: list[list[Output]] = []
    for _ in range(ROUNDS):
        items = gym.take(problems)
        groups = policy.sample([gym.prompt(item) for item in items], gym.group)
        for item, group in zip(items, groups, strict=True):
            judged = gym.judge((item.problem, output.text) for output in group)
            rewards, signal = gym.count(item.name, item.difficulty, judged)
            if not signal:
                continue  # but the curriculum has still counted it
            for output, value in zip(group, advantages(rewards), strict=True):
                output.advantage = value
            batch.append(group)
        if len(batch) >= problems:
            break
    return [output for group in batch[:problems] for output in group]


def advantages(rewards: Sequence[float]) -> list[float]:
    """How much better each output is than its group, in standard deviations."""
    mean, spread = fmean(rewards), pstdev(rewards) + 1e-6
    return [(reward - mean) / spread for reward in rewards]


def update(policy: "Policy", optimizer: torch.optim.Optimizer, batch: Sequence[Output]) -> float:
    """One step on the weights; returns the loss."""
    new = policy.logprobs(batch)
    advantage = torch.tensor([output.advantage for output in batch for _ in output.tokens])
    loss = dapo(new, new.detach(), advantage)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def dapo(new: Tensor, old: Tensor, advantage: Tensor) -> Tensor:
    """The DAPO loss, a mean over all tokens of the batch; each argument has a value per token.

    The ratio says how much more likely a token has become since it was sampled. With one update
    per batch it is 1, and only its gradient matters; with several updates, clipping takes effect.
    """
    ratio = (new - old).exp()
    clipped = ratio.clamp(1 - CLIP_LOW, 1 + CLIP_HIGH)
    return -torch.minimum(ratio * advantage, clipped * advantage).mean()


def accuracy(gym: rlve.Gym, policy: "Policy") -> float:
    """The share of problems solved at d = 0 to 4, with seeds that are never drawn in training."""
    tests = [
        rlve.environment(name).generate(difficulty=difficulty, seed=seed)
        for name in gym.curriculum.names
        for difficulty in range(5)
        for seed in range(-40, 0)
    ]
    groups = policy.sample([gym.format.render(problem) for problem in tests], 1)
    judged = gym.judge((problem, group[0].text) for problem, group in zip(tests, groups))
    return fmean(isinstance(verdict, rlve.Verdict) and verdict.correct for verdict in judged)


class Policy:
    """A Hugging Face causal language model with its tokenizer."""

    def __init__(self, folder: os.PathLike[str]) -> None:
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)

    @torch.no_grad()
    def sample(self, texts: Sequence[Any], group: int) -> list[list[Output]]:
        """A group of outputs for each text."""
        prompts = self.tokenizer(texts)["input_ids"]
        padded = self.tokenizer.pad(
            {"input_ids": prompts}, padding_side="left", return_tensors="pt"
        )
        rows = (
            self.model.eval()
            .generate(
                **padded,
                num_return_sequences=group,
                max_new_tokens=LIMIT,
                do_sample=True,
                top_k=0,  # from all tokens: the loss assumes samples of the policy itself
            )[:, padded["input_ids"].shape[1] :]
            .tolist()
        )
        outputs = [self._output(prompts[i // group], row) for i, row in enumerate(rows)]
        return [outputs[i : i + group] for i in range(0, len(outputs), group)]

    def _output(self, prompt: list[int], row: list[int]) -> Output:
        end = self.tokenizer.eos_token_id
        tokens = row[: row.index(end) + 1] if end in row else row
        return Output(prompt, tokens, self.tokenizer.decode(tokens, skip_special_tokens=True))

    def logprobs(self, outputs: Sequence[Output]) -> Tensor:
        """The log-probability of each token of the outputs, one output after another."""
        rows = [torch.tensor(output.prompt + output.tokens) for output in outputs]
        ids = pad_sequence(rows, batch_first=True)  # no token sees the padding behind it
        logprobs = self.model.train()(ids[:, :-1]).logits.log_softmax(-1)
        chosen = logprobs.gather(-1, ids[:, 1:, None])[..., 0]
        spans = [(len(output.prompt) - 1, len(output.tokens)) for output in outputs]
        return torch.cat([row[begin : begin + size] for row, (begin, size) in zip(chosen, spans)])


if __name__ == "__main__":
    tyro.cli(main)
