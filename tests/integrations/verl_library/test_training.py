"""The real main_ppo trains nano on the CPU; every run takes about a minute."""

import pytest

pytest.importorskip("verl", reason="needs rlve[verl]; run make test-verl")

from rlve.cli import main
from support.verl.running import counted, recipe, replayed, saved, train


def test_one_rank_counts_every_group_once_and_resumes_exactly(tmp_path, ray_folder):
    quick = {"partial": False, "tau_acc": 0.5, "tau_num": 16, "checkpoint_every": 2}
    first = recipe(tmp_path / "run", steps=2, **quick)
    metrics = train(first, ray_folder)
    state = saved(first, 2)
    _check_steps(metrics, first)
    groups = [int(step["rlve/groups"]) for step in metrics]
    assert state["gym"] == replayed(first, groups)

    second = recipe(tmp_path / "run", steps=4, **quick)
    more = train(second, ray_folder)
    assert [step["training/global_step"] for step in more] == [3, 4]
    _check_steps(more, second)
    groups += [int(step["rlve/groups"]) for step in more]
    # As if it had never been interrupted: the same problems, each counted once.
    assert saved(second, 4)["gym"] == replayed(second, groups)
    assert saved(second, 4)["gym"]["position"] == sum(groups)
    assert more[-1]["rlve/h"] > 0, "an easy environment, and h did not rise"
    assert any(step["actor/grad_norm"] > 0 for step in metrics + more)
    shown = [line["group"] for line in counted(second) if "again" not in line]
    assert len(shown) == len(set(shown)) == sum(groups)


def test_two_ranks_share_one_curriculum(tmp_path, ray_folder):
    held_out = tmp_path / "held_out.jsonl"
    assert main(["dataset", "Sorting", "-n", "4", "-d", "0..1", "-o", str(held_out)]) == 0
    plan = recipe(
        tmp_path / "run",
        steps=3,
        gpus=2,
        partial=False,
        tau_acc=0.5,
        tau_num=16,
        checkpoint_every=3,
        validate=held_out,
        validate_every=3,
    )
    first, *steps = train(plan, ray_folder)
    assert "val-core/rlve/Sorting/acc/mean@1" in first
    assert "val-core/rlve/Sorting/acc/mean@1" in steps[-1]
    _check_steps(steps, plan)
    validated = (plan.place / "validated.jsonl").read_text().splitlines()
    assert len(validated) == 2 * len(held_out.read_text().splitlines())  # before and after
    groups = [int(step["rlve/groups"]) for step in steps]
    assert saved(plan, 3)["gym"] == replayed(plan, groups)
    assert {path.name for path in (plan.place / "global_step_3" / "actor").glob("model_*")} == {
        "model_world_size_2_rank_0.pt",
        "model_world_size_2_rank_1.pt",
    }


def test_partial_rollouts_are_counted_once_across_a_resume(tmp_path, ray_folder):
    # h never moves here, so the counts of the curriculum are those of all groups ever counted.
    slow = {"partial": True, "tau_num": 10**6, "oversample": 12, "checkpoint_every": 2}
    first = recipe(tmp_path / "run", steps=2, **slow)
    metrics = train(first, ray_folder, seconds_per_token=0.2)
    before = counted(first)
    state = saved(first, 2)
    _check_counts(state, before)

    second = recipe(tmp_path / "run", steps=4, **slow)
    metrics += train(second, ray_folder, seconds_per_token=0.2)
    assert [step["training/global_step"] for step in metrics] == [1, 2, 3, 4]
    lines = counted(second)
    new = [line for line in lines if "again" not in line]
    assert len({line["group"] for line in new}) == len(new)
    assert len(new) == sum(step["rlve/groups"] for step in metrics)
    _check_counts(saved(second, 4), lines)
    # Groups that waited in the checkpoint, counted, were shown again and not counted again.
    after = {line["group"] for line in lines[len(before) :] if "again" in line}
    assert after & set(state["counted"])
    # Rollouts were interrupted by an update, and finished by the next policy.
    assert any(line["policies"] > 1 for line in new)
    # The first step samples three batches, so the problems of the second are of the first.
    assert [step["rlve/lag_max"] for step in metrics[:2]] == [0, 1]


def test_a_step_ends_though_no_group_has_signal(tmp_path, ray_folder):
    plan = recipe(
        tmp_path / "run",
        temperature=1e-3,  # so all rollouts of a group are the same
        steps=2,
        partial=False,
        problems=2,
        oversample=4,
        rounds=2,
        tau_acc=0.5,
        tau_num=16,
        checkpoint_every=2,
    )
    metrics = train(plan, ray_folder)
    groups = [int(step["rlve/groups"]) for step in metrics]
    assert len(groups) == 2
    assert min(groups) >= plan.rounds * plan.oversample
    assert metrics[0]["rlve/effective_prompt_ratio"] == 0
    assert metrics[0]["actor/grad_norm"] == 0  # nothing to learn from, and nothing was learnt
    assert saved(plan, 2)["gym"] == replayed(plan, groups)  # but the curriculum has seen it all


def _check_steps(metrics, plan):
    """Every group of a step was trained on, evicted or surplus; and none was drawn in advance."""
    for step in metrics:
        evicted = step.get("training/filter_groups/evicted_samples", 0)
        surplus = step.get("training/filter_groups/discarded_surplus_samples", 0)
        assert step["rlve/groups"] == plan.problems + evicted + surplus
        assert step["rlve/lag_max"] == 0
    assert any("training/filter_groups/evicted_samples" in step for step in metrics)


def _check_counts(state, lines):
    progress = state["gym"]["curriculum"]["adaptive"]
    for name, its in progress.items():
        reports = [
            report for line in lines if line.get("name") == name for report in line["reports"]
        ]
        assert (its["total"], its["correct"]) == (
            len(reports),
            sum(bool(report["acc"]) for report in reports),
        )
