"""vLLM loads what `rlve export` has written, and samples as accuracy was measured."""

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed here; `make test-vllm` runs these")

import torch
from transformers import AutoModelForCausalLM
from vllm import LLM, SamplingParams

from rlve.cli import main
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_reader
from rlve.registry import environment

SMALL = (
    "--run.steps 1 --rollout.problems 2 --rollout.oversample 2 --rollout.group 2 "
    "--rollout.max-tokens 16 --rollout.engine in-process --validation.problems 1 "
    "--validation.levels 0 --run.workers 1 --policy.lora-rank 4 --update.learning-rate 1e-2"
).split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An export of nano, with adapters merged into its weights."""
    place = tmp_path_factory.mktemp("exported")
    assert main(["train", *SMALL, "--run.folder", str(place / "run")]) == 0
    assert main(["export", str(place / "run"), str(place / "model")]) == 0
    return place / "model"


def test_greedy_tokens_are_those_of_transformers(folder):
    reader = load_reader(PolicyConfig(model=str(folder), format="plain"))
    prompts = [
        reader.encode(environment("Sorting").generate(difficulty=d, seed=d)) for d in range(4)
    ]
    engine = LLM(
        str(folder),
        dtype="float32",
        enforce_eager=True,
        gpu_memory_utilization=0.1,
        max_model_len=1024,
        trust_remote_code=False,
    )
    measured = engine.get_default_sampling_params()
    assert (measured.temperature, measured.top_p, measured.top_k) == (0.6, 0.95, 0)
    given = [{"prompt_token_ids": prompt} for prompt in prompts]
    theirs = engine.generate(given, SamplingParams(temperature=0, max_tokens=32))
    model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=False)
    for prompt, found in zip(prompts, theirs, strict=True):
        ours = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=32)
        assert list(found.outputs[0].token_ids) == ours[0, len(prompt) :].tolist()
