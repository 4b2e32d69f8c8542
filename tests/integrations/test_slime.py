"""slime's side of the adapter is played by small stand-ins, which have what slime's classes have.

`step` does what a rollout of slime's does, in its order: ask the source for groups until enough
of them have signal, judge each sample, hand all finished groups to the hook, and give back what
was cut off.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest

import rlve as package
from rlve.cli import main
from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.integrations.slime import DataSource, Settings, count_samples, keep_group, rm
from rlve.integrations.slime import settings as settings_module
from rlve.integrations.slime.recipe import Recipe, megatron_flags
from rlve.integrations.slime.reward import KEY, judged_of, row_of
from rlve.pool import Failure, Pool
from support.slime_stand_ins import Sample, stand_in

NANO = Path(package.__file__).parent / "models" / "nano"
GROUP = 4


@pytest.fixture
def slime(monkeypatch):
    """A module slime.utils.types, and the settings of a gym."""
    stand_in(monkeypatch)

    def configure(**changes):
        fields = {"environments": ("Sorting", "Division"), "format": "plain", "workers": 1}
        monkeypatch.setenv("RLVE_SLIME", Settings(**fields | changes).as_json())

    configure()
    yield configure
    settings_module.Settings(environments=(), workers=1).pool().close()


@pytest.fixture
def args(tmp_path):
    return SimpleNamespace(
        n_samples_per_prompt=GROUP,
        rollout_seed=3,
        rollout_max_prompt_len=None,
        hf_checkpoint=str(NANO),
        apply_chat_template_kwargs=None,
        num_rollout=10,
        rollout_batch_size=8,
        save=str(tmp_path / "run"),
        load=str(tmp_path / "run"),
    )


def right(sample):
    row = row_of(sample)
    cls = package.environment(row.environment)
    return f"<answer>{cls.from_parameters(json.loads(row.parameters)).reference()}</answer>"


def finish(args, sample, response):
    sample.response = response
    sample.tokens, sample.rollout_log_probs = [1, 2], [-0.5, -0.25]
    sample.status = Sample.Status.COMPLETED
    sample.reward = asyncio.run(rm(args, sample))


def step(args, source, wanted=6, at_once=4, cut=2):
    """A rollout in which every third group is wrong throughout, and a few are cut off."""
    finished, kept = [], []
    under_way = []
    while len(kept) < wanted:
        under_way += source.get_samples(at_once)
        while len(under_way) > cut and len(kept) < wanted:
            group = under_way.pop(0)
            for place, sample in enumerate(group):
                if sample.status is not Sample.Status.COMPLETED:
                    good = group[0].group_index % 3 and (place or group[0].group_index % 3 == 1)
                    finish(args, sample, right(sample) if good else "no idea")
            finished.append(group)
            if len({sample.reward for sample in group}) > 1 or not kept:
                kept.append(group)
    count_samples(args, finished, source.get_samples)
    for group in under_way:
        for sample in group[1:]:
            sample.response, sample.status = "half of", Sample.Status.ABORTED
        if group[0].status is Sample.Status.PENDING:
            finish(args, group[0], right(group[0]))  # that one was done already
    source.add_samples(under_way)
    return finished


def test_groups_are_the_problems_of_the_gym(slime, args):
    source = DataSource(args)
    groups = source.get_samples(5)
    gym = Gym(["Sorting", "Division"], group=GROUP, seed=3, format="plain", workers=1)
    with gym:
        items = gym.take(5)
        for number, (group, item) in enumerate(zip(groups, items, strict=True)):
            assert [sample.group_index for sample in group] == [number] * GROUP
            assert [sample.index for sample in group] == [number * GROUP + n for n in range(GROUP)]
            assert {sample.prompt for sample in group} == {gym.prompt(item)}
            assert all(sample.status is Sample.Status.PENDING for sample in group)
            assert row_of(group[0]) == gym.row(item)
            assert len({id(sample.metadata[KEY]) for sample in group}) == GROUP
    assert source.get_samples(0) == []
    assert source.get_samples(1)[0][0].group_index == 5


def test_rewards(slime, args):
    [group] = DataSource(args).get_samples(1)
    responses = [right(group[0]), "<answer>1 2 3</answer>", "", "\ud800\0"]
    for signal, rewards in (("reward", [1, 0, -1, -1]), ("correct", [1, 0, 0, 0])):
        slime(signal=signal)
        for sample, response in zip(group, responses, strict=True):
            finish(args, sample, response)
        assert [sample.reward for sample in group] == rewards
    assert judged_of(group[0]) == Verdict(1.0, True, True)


def test_a_sample_that_cannot_be_judged_teaches_nothing(slime, args, monkeypatch):
    slime(environments=("Sorting",), tau_num=10_000)
    source = DataSource(args)
    [group] = source.get_samples(1)
    judge = Pool.judge

    def sometimes(self, items, **options):
        [(problem, output)] = items
        if output == "slow":
            return [Failure("deadline", "it took longer than 10 s")]
        return judge(self, [(problem, output)], **options)

    monkeypatch.setattr(Pool, "judge", sometimes)
    for sample, response in zip(group, [right(group[0]), "slow", "", "slow"], strict=True):
        finish(args, sample, response)
    assert [sample.reward for sample in group] == [1, -1, -1, -1]  # not known to be better yet
    metrics = source.count([group])
    assert [sample.reward for sample in group] == [1, 0, -1, 0]
    assert metrics["rlve/failed"] == 2
    assert source.gym.curriculum.counts("Sorting") == (1, 2)
    # What is judged again, after it was resumed, has one outcome.
    finish(args, group[1], right(group[1]))
    assert judged_of(group[1]) == Verdict(1.0, True, True)


def test_every_finished_group_is_counted_once(slime, args):
    slime(environments=("Sorting",), tau_num=10_000)
    source = DataSource(args)
    finished = step(args, source)
    counts = source.gym.curriculum.counts("Sorting")
    assert counts[1] == len(finished) * GROUP
    assert counts[0] == sum(sample.reward == 1 for group in finished for sample in group)
    assert source.steps == 1
    # Seen again, or not finished: not counted.
    source.count([*finished, *source.buffer])
    assert source.gym.curriculum.counts("Sorting") == counts
    # What was cut off is counted when it is finished, and comes before new problems.
    cut = [group[0].group_index for group in source.buffer]
    assert cut
    again = step(args, source)
    assert [group[0].group_index for group in again][: len(cut)] == cut
    assert source.gym.curriculum.counts("Sorting")[1] == (len(finished) + len(again)) * GROUP


def written(groups):
    return [[asdict(sample) for sample in group] for group in groups]


def test_a_resumed_run_equals_one_that_never_stopped(slime, args):
    slime(tau_num=16, tau_acc=0.5)
    source = DataSource(args)
    source.load(-1)  # slime asks for it before the first step, too
    for rollout in range(4):
        step(args, source)
        if rollout == 1:
            source.save(rollout)
            assert source.buffer
            kept = written(source.buffer)
    expected = written(source.get_samples(10))
    metrics = Path(args.save, "rlve_metrics.jsonl")
    lines = metrics.read_text()

    resumed = DataSource(args)
    resumed.load(1)
    assert written(resumed.buffer) == kept
    for _ in range(2):
        step(args, resumed)
    assert written(resumed.get_samples(10)) == expected
    assert resumed.gym.state_dict() == source.gym.state_dict()
    assert metrics.read_text().removeprefix(lines).splitlines() == lines.splitlines()[2:]
    found = [json.loads(line) for line in lines.splitlines()]
    assert [line["step"] for line in found] == [1, 2, 3, 4]
    assert found[-1]["rlve/h"] > 0
    assert {"rlve/effective_prompt_ratio", "rlve/accuracy", "rlve/groups"} <= found[0].keys()


def test_a_chat_prompt_is_the_models_own(slime, args, tmp_path):
    pytest.importorskip("transformers", reason="training needs rlve[train]")
    args.hf_checkpoint = str(shutil.copytree(NANO, tmp_path / "model"))
    (tmp_path / "model" / "chat_template.jinja").write_text(
        "{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}"
        "{% if add_generation_prompt %}[assistant]{% if think %} hm{% endif %}{% endif %}"
    )
    slime(environments=("Sorting",), format="chat", static=(0, 30))
    args.apply_chat_template_kwargs = {"think": True}
    args.rollout_max_prompt_len = 140
    source = DataSource(args)
    groups = source.get_samples(6)
    lengths = [len(source._tokenizer(group[0].prompt)["input_ids"]) for group in groups]
    assert max(lengths) <= 140
    assert source.gym.stream.redrawn["Sorting"]["too long"] > 0
    for group in groups:
        assert group[0].prompt.startswith("[user] ")
        assert group[0].prompt.endswith(r"inside \boxed{}.[assistant] hm")
        assert row_of(group[0]).marker == "boxed"


def test_mistakes_are_named(slime, args, monkeypatch, tmp_path):
    source = DataSource(args)
    groups = source.get_samples(2)
    for sample in groups[0]:
        sample.status = Sample.Status.COMPLETED
    with pytest.raises(UserError, match=r"--custom-rm-path rlve\.integrations\.slime\.rm"):
        count_samples(args, groups, source.get_samples)
    with pytest.raises(UserError, match=r"--data-source-path .* but its source is a list"):
        count_samples(args, groups, [])
    with pytest.raises(UserError, match="no rlve problem in its metadata"):
        asyncio.run(rm(args, Sample(prompt="2 + 2?", response="4")))
    with pytest.raises(UserError, match=r"rlve_7\.msgpack, is missing; --start-rollout-id 0"):
        source.load(7)
    source.add_samples(groups[1:])
    source.save(3)
    args.n_samples_per_prompt = 8
    with pytest.raises(UserError, match="has 4 samples, but --n-samples-per-prompt is 8"):
        DataSource(args).load(3)
    Path(args.save, "rollout", "rlve_3.msgpack").write_bytes(b"{")
    with pytest.raises(UserError, match=r"rlve_3\.msgpack is damaged"):
        source.load(3)
    args.save = args.num_rollout = None
    with pytest.raises(UserError, match="slime needs --save"):
        source.save(3)
    with pytest.raises(UserError, match="slime needs --num-rollout"):
        len(source)
    for text, part in [
        ("{", "RLVE_SLIME is not JSON"),
        ('{"environment": "C4"}', "no setting 'environment'"),
    ]:
        monkeypatch.setenv("RLVE_SLIME", text)
        with pytest.raises(UserError, match=part):
            DataSource(args)
    monkeypatch.delenv("RLVE_SLIME")
    with pytest.raises(UserError, match="set the environment variable RLVE_SLIME"):
        DataSource(args)


def rollout_of_slime(args, source, answer, most=1000):
    """slime's own loop: ask for problems until enough groups are kept; then tell the hook."""
    finished, kept, under_way = [], [], 0
    while len(kept) < args.rollout_batch_size:
        while under_way < args.rollout_batch_size:
            groups = source.get_samples(args.over_sampling_batch_size)
            under_way += len(groups)
            for group in groups:
                for sample in group:
                    finish(args, sample, answer(sample))
                finished.append(group)
                under_way -= not keep_group(args, group)
                if keep_group(args, group) and len(kept) < args.rollout_batch_size:
                    kept.append(group)
            assert len(finished) < most, "it samples for ever"
    count_samples(args, finished, source.get_samples)
    return finished, kept


@pytest.mark.parametrize("solved", [True, False])
def test_a_step_in_which_no_group_has_signal_ends_and_moves_the_curriculum(slime, args, solved):
    slime(rounds=3)
    args.over_sampling_batch_size = 10
    source = DataSource(args)
    for step_number in (1, 2):
        finished, kept = rollout_of_slime(
            args, source, right if solved else lambda sample: "no idea"
        )
        assert len(finished) == 3 * 10 + 10  # three rounds, and one that is kept as it comes
        assert len(kept) == args.rollout_batch_size
        assert source.steps == step_number
    late = kept[-1]
    source.add_samples([late])  # in its next step, a group is judged anew
    assert source.get_samples(1) == [late]
    assert not keep_group(args, late)
    bounds = [source.gym.curriculum.bounds(name)[1] for name in ("Sorting", "Division")]
    assert (min(bounds) > 0) == solved


# The script.

TOOL = """#!/usr/bin/env python3
import json, os, sys
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
with open(os.environ["CALLS"], "a") as file:
    print(json.dumps(words), file=file)
sys.exit(words[:2] == ["ray", "status"])
"""


def calls_of(script, folder):
    """The commands that a script runs, when ray and python3 only take notes."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("ray", "python3"):
        (tools / name).write_text(TOOL.replace("/usr/bin/env python3", sys.executable))
        (tools / name).chmod(0o755)
    notes = folder / "notes"
    variables = {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(notes)}
    subprocess.run(["bash", "-c", script], env=variables, check=True)
    return [json.loads(line) for line in notes.read_text().splitlines()]


def test_the_script_runs_slime_with_the_papers_recipe(tmp_path, monkeypatch, slime, args):
    folder = tmp_path / "it's a run"
    recipe = Recipe(
        model=str(NANO),
        environments=("C4",),
        format="plain",
        folder=folder,
        slime=tmp_path,
        nodes=2,
    )
    status, start, convert, submit = calls_of(recipe.script(), tmp_path)
    assert status == ["ray", "status"]
    assert start[:3] == ["ray", "start", "--head"]
    assert convert[:2] == ["python3", "tools/convert_hf_to_torch_dist.py"]
    assert convert[-1] == f"{folder}/torch_dist"
    [runtime] = [word for word in submit if word.startswith("--runtime-env-json=")]
    variables = json.loads(runtime.partition("=")[2])["env_vars"]
    at = submit.index("--")
    assert submit[at + 1 : at + 3] == ["python3", "train.py"]
    given = dict(zip(submit[at:], submit[at + 1 :], strict=False))
    paper = {
        "--actor-num-nodes": "2",
        "--rollout-batch-size": "128",
        "--over-sampling-batch-size": "384",
        "--n-samples-per-prompt": "16",
        "--global-batch-size": "2048",
        "--rollout-temperature": "1.0",
        "--rollout-max-response-len": "24576",
        "--eps-clip": "0.2",
        "--eps-clip-high": "0.28",
        "--lr": "2e-06",
        "--weight-decay": "0.01",
        "--adam-beta2": "0.98",
        "--tis-clip": "2.0",
        "--load": f"{folder}/checkpoints",
        "--num-layers": "6",
    }
    assert paper.items() <= given.items()
    assert int(given["--log-probs-chunk-size"]) * 151_936 * 4 < 1e9  # bytes of logits at a time
    assert {"--partial-rollout", "--calculate-per-token-loss", "--colocate"} <= {*submit}
    assert not {"--disable-rollout-global-dataset", "--prompt-data", "--use-kl-loss"} & {*submit}
    # The paths that slime loads are ours, and they work with the settings that reach them.
    for flag, thing in (
        ("--data-source-path", DataSource),
        ("--custom-rm-path", rm),
        ("--dynamic-sampling-filter-path", keep_group),
        ("--rollout-all-samples-process-path", count_samples),
    ):
        module, _, name = given[flag].rpartition(".")
        assert getattr(sys.modules[module], name) is thing
    monkeypatch.setenv("RLVE_SLIME", variables["RLVE_SLIME"])
    assert tuple(DataSource(args).gym.curriculum.names) == package.collections.C4


def test_the_command_prints_the_script(tmp_path, capsys):
    words = ["slime", "--model", str(NANO), "-c", "C16", "--learning-rate", "1e-6"]
    assert main([*words, "--aggregation", "sample", "--no-partial"]) == 0
    script = capsys.readouterr().out
    assert script.startswith("#!/bin/bash\n")
    assert "--lr 1e-06" in script
    assert "--calculate-per-token-loss" not in script
    assert "--partial-rollout" not in script
    place = tmp_path / "run.sh"
    assert main([*words, "-o", str(place)]) == 0
    assert os.access(place, os.X_OK)
    assert "The script is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": 3, "problems": 3}, "= 9 outputs does not divide into equal parts for 8 copies"),
        ({"engine_gpus": 16}, "8 GPUs do not divide into groups of --engine-gpus 16"),
        ({"model": "Qwen/Qwen2.5-7B"}, "it has no config.json"),
    ],
)
def test_runs_that_cannot_work(changes, message):
    with pytest.raises(UserError, match=message):
        Recipe(**{"model": str(NANO)} | changes).script()


def test_architectures_in_megatrons_terms():
    qwen = {
        "model_type": "qwen2",
        "num_hidden_layers": 28,
        "hidden_size": 1536,
        "intermediate_size": 8960,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000,
        "vocab_size": 151936,
        "tie_word_embeddings": False,
    }
    flags = {name: value for name, value in megatron_flags(qwen).items() if value}
    assert flags == {
        "--swiglu": True,
        "--num-layers": 28,
        "--hidden-size": 1536,
        "--ffn-hidden-size": 8960,
        "--num-attention-heads": 12,
        "--group-query-attention": True,
        "--num-query-groups": 2,
        "--use-rotary-position-embeddings": True,
        "--rotary-base": 10000,
        "--disable-bias-linear": True,
        "--add-qkv-bias": True,
        "--normalization": "RMSNorm",
        "--norm-epsilon": 1e-6,
        "--vocab-size": 151936,
        "--untie-embeddings-and-output-weights": True,
    }
    for change, message in (
        ({"model_type": "mixtral"}, "the architecture 'mixtral': use --model-script"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "scaled rotary embeddings: use --model-script"),
    ):
        with pytest.raises(UserError, match=message):
            megatron_flags(qwen | change)
    del qwen["vocab_size"]
    with pytest.raises(UserError, match="does not say what 'vocab_size' is"):
        megatron_flags(qwen)
    script = Recipe(model="anywhere", model_script=Path("scripts/models/glm4-9B.sh")).script()
    assert "\nsource scripts/models/glm4-9B.sh\n" in script
