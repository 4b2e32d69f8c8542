"""The agent loop for problems that answer back: with a scripted server, and in the real trainer."""

import asyncio
import json

import pytest

pytest.importorskip("verl", reason="needs rlve[verl]; run make test-verl")

from importlib.resources import files

import hydra
from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, _agent_loop_registry
from verl.trainer.ppo.utils import create_rl_dataset
from verl.workers.rollout.replica import TokenOutput

from rlve.datasets.transfer import TravellingRow
from rlve.dialogue import Dialogue, conversation
from rlve.formats import prompt_format
from rlve.integrations.verl.recipe import TEXT_TEMPLATE
from support.verl.running import counted, recipe, saved, train

CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NAMES = ["GuessNumber", "Sorting_3Tries", "Sorting"]


@pytest.fixture(scope="module")
def tokenizer():
    found = AutoTokenizer.from_pretrained(str(files("rlve.models") / "nano"))
    found.add_special_tokens({"eos_token": "<|im_end|>"})
    found.add_tokens(["<|im_start|>"], special_tokens=True)
    return found


class Script:
    """A server that writes what it was given, message by message."""

    def __init__(self, tokenizer, messages):
        self.tokenizer = tokenizer
        self.messages = iter(messages)
        self.asked = []

    async def generate(self, request_id, *, prompt_ids, sampling_params):
        self.asked.append(self.tokenizer.decode(prompt_ids))
        ids = self.tokenizer(next(self.messages) + "<|im_end|>")["input_ids"]
        ids = ids[: sampling_params["max_tokens"]]
        step = len(self.asked)
        steps = {"global_steps": 1, "min_global_steps": step, "max_global_steps": step}
        probabilities = [-float(step)] * len(ids)
        return TokenOutput(token_ids=ids, log_probs=probabilities, extra_fields=steps)


def rows(tokenizer, format, count):
    config = OmegaConf.create(
        {
            "custom_cls": {
                "path": "pkg://rlve.integrations.verl.dataset",
                "name": "ProblemDataset",
            },
            "max_prompt_length": 512,
            "shuffle": False,
            "dataloader_num_workers": 0,
            "apply_chat_template_kwargs": {},
            "rlve": {"group": 4, "format": format, "workers": 1, "static": [0, 1]},
        }
    )
    tokenizer.chat_template = CHAT if format == "chat" else TEXT_TEMPLATE
    return config, create_rl_dataset(NAMES, config, tokenizer, None).__getitems__(range(count))


def play(tokenizer, data, row, messages, room=2000):
    """What verl's own registry makes of a row, with a server that writes these messages."""
    server = Script(tokenizer, messages)
    rollout = {"prompt_length": 512, "response_length": room}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}})

    async def run():  # verl makes loops inside its own
        loop = hydra.utils.instantiate(
            _agent_loop_registry[row["agent_name"]],
            trainer_config=DictConfigWrap(config),
            server_manager=server,
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=None,
            data_config=DictConfigWrap(data),
            hf_model_type="qwen2" if data.rlve.format == "chat" else "llama",
        )
        return await loop.run({"temperature": 1.0, "logprobs": True}, **row)

    return server, asyncio.run(run())


def script(problem):
    """Junk as long as there is room for it, then what wins."""
    if not isinstance(problem, Dialogue):
        return [rf"\boxed{{{problem.reference()}}}"]
    moves = problem.reference_moves()
    return [f"no move {turn}" for turn in range(problem.turns - len(moves))] + moves


@pytest.mark.parametrize("format", ["chat", "plain"])
def test_a_whole_dialogue(tokenizer, format):
    data, found = rows(tokenizer, format, 16)
    seen = set()
    for row in found:
        problem = TravellingRow(**json.loads(row["reward_model"]["ground_truth"])).problem()
        seen.add(type(problem).__name__)
        messages = script(problem)
        server, output = play(tokenizer, data, row, messages)
        assert output.reward_score == 1.0
        report = output.extra_fields["reward_extra_info"]
        assert (report["score"], report["acc"]) == (1.0, 1.0)
        assert output.num_turns == 2 * len(messages)
        last = len(messages)
        assert output.extra_fields["min_global_steps"] == 1
        assert output.extra_fields["max_global_steps"] == last
        # What the model was given each time, and which tokens are its own.
        prompt = prompt_format(format).render(problem)
        for turn, message in enumerate(messages, 1):
            if format == "chat":
                assert server.asked[turn - 1] == tokenizer.apply_chat_template(
                    prompt, tokenize=False, add_generation_prompt=True
                )
            else:  # a text says nothing of the token with which the model ends a message
                assert server.asked[turn - 1].replace("<|im_end|>", "") == prompt
            if turn < last:
                reply = problem.respond(messages[:turn])
                prompt = prompt_format(format).follow(prompt, message, reply.text)
        own = [
            (token, probability)
            for token, kept, probability in zip(
                output.response_ids, output.response_mask, output.response_logprobs, strict=True
            )
            if kept
        ]
        assert tokenizer.decode([token for token, _ in own]) == "".join(
            f"{message}<|im_end|>" for message in messages
        )
        assert own[0][1] == -1.0
        assert own[-1][1] == -float(last)
    assert seen == set(NAMES)


def test_a_dialogue_that_runs_out_of_room_is_lost(tokenizer):
    data, found = rows(tokenizer, "chat", 16)
    row = next(row for row in found if row["data_source"] == "rlve/GuessNumber")
    problem = TravellingRow(**json.loads(row["reward_model"]["ground_truth"])).problem()
    server, output = play(tokenizer, data, row, script(problem)[:1] * 9, room=30)
    assert len(output.response_ids) == len(output.response_mask) == 30
    assert len(server.asked) == 1
    assert output.reward_score == problem.verify(conversation(script(problem)[:1])).reward


def test_the_real_trainer_plays_dialogues(tmp_path, ray_folder):
    # h never moves here, so the counts of the curriculum are those of all groups.
    plan = recipe(
        tmp_path / "run",
        environments=("GuessNumber", "Sorting_2Tries", "Sorting"),
        steps=1,
        partial=False,
        rounds=1,
        tau_num=10**6,
        max_tokens=256,
        checkpoint_every=1,
    )
    [metrics] = train(plan, ray_folder)
    assert metrics["num_turns/max"] > 2
    groups = [line for line in counted(plan) if "again" not in line]
    state = saved(plan, 1)["gym"]
    assert state["position"] == len(groups) == metrics["rlve/groups"]
    for name, progress in state["curriculum"]["adaptive"].items():
        reports = [report for line in groups if line["name"] == name for report in line["reports"]]
        assert progress["total"] == len(reports)
        assert progress["correct"] == sum(report["acc"] for report in reports)
