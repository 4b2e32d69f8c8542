"""The reward function and the replay buffers of rlve, which also write down what they see."""

import json
import os
import time
from pathlib import Path

from rlve.integrations.verl import replay_buffer, reward


def compute_score(ground_truth, extra_info, **others):
    report = reward.compute_score(ground_truth=ground_truth, extra_info=extra_info, **others)
    row = json.loads(ground_truth)
    _note(
        "judged" if extra_info["split"] == "train" else "validated",
        position=extra_info["index"],
        environment=row["environment"],
        difficulty=row["difficulty"],
        seed=row["seed"],
        verdict={
            "reward": report["reward"],
            "correct": bool(report["acc"]),
            "well_formed": bool(report["well_formed"]),
        },
    )
    return report


class _Watching:
    def _reports(self, groups):
        found = super()._reports(groups)
        for group in groups:
            name, reports = found[group]
            tags = [tag for key, tag in self.partitions["train"].items() if key.startswith(group)]
            spans = [tag["max_global_steps"] - tag["min_global_steps"] for tag in tags]
            _note("counted", group=group, name=name, reports=reports, policies=1 + max(spans))
        for group in self.finished_keys["train"] - groups:
            _note("counted", group=group, again=True)
        return found


class CountingReplayBuffer(_Watching, replay_buffer.CountingReplayBuffer):
    pass


class CountingReplayBufferAsync(_Watching, replay_buffer.CountingReplayBufferAsync):
    """The first step leaves finished groups over; the next ones leave unfinished rollouts over."""

    def sample(self, global_steps, partition_id, batch_size):
        if global_steps > 1:
            time.sleep(0.5)  # generation has begun, and is slow (SECONDS_PER_TOKEN)
        return super().sample(global_steps, partition_id, batch_size)

    def _has_enough_samples(self, global_steps, partition_id, *others):
        under_way = self.pending_keys[partition_id] | self.running_keys[partition_id]
        if global_steps == 1 and under_way:
            return False
        return super()._has_enough_samples(global_steps, partition_id, *others)


def _note(file, **what):
    """Append a line. Lines are short, and written at once, so threads and processes do not mix."""
    line = json.dumps(what).encode() + b"\n"
    place = os.open(
        Path(os.environ["WATCH"], f"{file}.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT
    )
    os.write(place, line)
    os.close(place)
