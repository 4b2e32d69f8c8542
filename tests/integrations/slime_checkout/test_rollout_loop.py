"""slime's own rollout loop, parser and contracts, with our data source, reward, filter and hook.

Only SGLang is played by a stand-in, over HTTP; `make test-slime SLIME=CHECKOUT` runs this.
"""

import inspect
import json
from pathlib import Path

import pytest

import rlve
from rlve.integrations.slime.recipe import Recipe
from rlve.integrations.slime.reward import KEY, judged_of
from rlve.integrations.slime.settings import VARIABLE, Settings
from support.sglang_server import SGLangServer

NANO = Path(rlve.__file__).parent / "models" / "nano"
STEPS = 40

# Megatron's and SGLang's flags, which slime's own parser passes on to theirs.
OF_OTHERS = """
    --optimizer --lr-decay-style --weight-decay --adam-beta1 --adam-beta2 --sequence-parallel
    --tensor-model-parallel-size --recompute-granularity --recompute-method --recompute-num-layers
    --sglang-mem-fraction-static --attention-dropout --hidden-dropout --attention-backend
    --accumulate-allreduce-grads-in-fp32 --attention-softmax-in-fp32
""".split()


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    recipe = Recipe(
        model=str(NANO),
        environments=("Sorting",),
        format="plain",
        folder=tmp_path / "run",
        steps=STEPS,
        problems=8,
        oversample=12,
        group=4,
        gpus=1,
        max_tokens=200,
        tensor_parallel=1,
    )
    variables = recipe.variables()
    settings = json.loads(variables[VARIABLE]) | {"workers": 1, "tau_num": 16}
    monkeypatch.setenv(VARIABLE, json.dumps(settings))
    yield recipe
    Settings(environments=(), workers=1).pool().close()


@pytest.fixture
def server():
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(NANO)
    server = SGLangServer(
        tokenizer.decode,
        lambda text: tokenizer.encode(text, add_special_tokens=False),
        asked="\\boxed{}.",
        skill=lambda numbers: 0.95 if len(numbers) < 8 else 0.5,
    )
    yield server
    server.close()


@pytest.fixture
def args(parse, recipe, server):
    """slime's arguments, read by slime from our script, and what its start adds to them."""
    from slime.rollout.sglang_rollout import GenerateState
    from slime.utils.http_utils import init_http_client

    args, _ = parse(recipe.script())
    args.sglang_router_ip, args.sglang_router_port = "127.0.0.1", server.port
    args.sglang_server_concurrency, args.sglang_dp_size = 64, 1
    args.rollout_num_engines, args.use_distributed_post = 1, False
    init_http_client(args)
    yield args
    GenerateState.clear_instances()


def test_slime_knows_every_flag_of_the_script(parse, recipe):
    _, unknown = parse(recipe.script())
    assert {word for word in unknown if word.startswith("--")} <= {*OF_OTHERS}


def test_forty_steps_with_partial_rollouts_and_a_resumed_run(args, server):
    from slime.rollout.sglang_rollout import generate_rollout
    from slime.utils.misc import load_function
    from slime.utils.types import Sample

    source = load_function(args.data_source_path)(args)
    counted: set[int] = set()
    resumed = 0
    for step in range(STEPS):
        if step == STEPS // 2:  # as if slime had been stopped and started again
            source.save(step - 1)
            before = source
            source = load_function(args.data_source_path)(args)
            source.load(step - 1)
            assert source.gym.state_dict() == before.gym.state_dict()
            assert [[s.to_dict() for s in group] for group in source.buffer] == [
                [s.to_dict() for s in group] for group in before.buffer
            ]
        resumed += sum(bool(s.response) for group in source.buffer for s in group)
        groups = generate_rollout(args, step, source).samples
        assert len(groups) == args.rollout_batch_size
        for group in groups:
            assert len(group) == args.n_samples_per_prompt
            assert group[0].metadata[KEY]["counted"]
            assert len({s.reward for s in group}) > 1 or group[0].metadata[KEY]["late"]
            for sample in group:
                assert sample.status is Sample.Status.COMPLETED
                assert judged_of(sample).reward == sample.reward
                assert judged_of(sample).well_formed  # also if it was cut off and resumed
                assert len(sample.rollout_log_probs) == sample.response_length
        fresh = {group[0].group_index for group in groups}
        assert not fresh & counted  # no group is trained on twice
        counted |= fresh
    assert source.steps == STEPS
    assert source.gym.curriculum.bounds("Sorting")[1] >= 3
    assert server.aborted
    assert resumed
    assert len((Path(args.save) / "rlve_metrics.jsonl").read_text().splitlines()) == STEPS


def names(function):
    """The parameters that slime passes; ours also take, and ignore, what a later slime may add."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]


def test_our_paths_keep_slimes_contracts(args):
    from plugin_contracts import test_plugin_path_loading_contracts as contracts
    from slime.utils.misc import load_function

    references = {
        args.data_source_path: contracts.ReferenceDataSource,
        args.dynamic_sampling_filter_path: contracts.reference_dynamic_filter,
        args.rollout_all_samples_process_path: contracts.reference_rollout_all_samples_process,
        args.custom_rm_path: contracts.reference_single_rm,
    }
    for path, reference in references.items():
        assert names(load_function(path)) == names(reference)
    source = load_function(args.data_source_path)
    for name in ("get_samples", "add_samples", "save", "load", "__len__"):
        reference = getattr(contracts.ReferenceDataSource, name)
        assert names(getattr(source, name)) == names(reference)
    contracts.check_dynamic_filter_path(args.dynamic_sampling_filter_path)
