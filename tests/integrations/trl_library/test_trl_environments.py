"""Problems as TRL's environments, in the real trainers: `make test-trl`."""

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs rlve[trl]; run make test-trl")

import torch
import trl
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import GRPOTrainer

from rlve.answers import extract
from rlve.curricula import CurriculumSettings
from rlve.dialogue import Dialogue, conversation
from rlve.integrations.trl import recipe, rlve_environments
from rlve.pool import Failure

QWEN3 = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
NAMES = ["GuessNumber", "Sorting_3Tries", "Sorting"]


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """A tiny model whose chat template has tools; the tests say what it writes."""
    folder = tmp_path_factory.mktemp("policy")
    tokenizer = AutoTokenizer.from_pretrained(str(files("rlve.models") / "nano"))
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>"})
    tokenizer.add_tokens(["<|im_start|>", "<tool_call>", "</tool_call>"], special_tokens=True)
    tokenizer.chat_template = QWEN3.read_text()
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def call(text):
    request = json.dumps({"name": "answer", "arguments": {"text": text}})
    return f"<tool_call>\n{request}\n</tool_call><|im_end|>"


def moves(problem, player):
    """What a player sends: junk while there is room for it and then what wins, junk, or nothing."""
    if not isinstance(problem, Dialogue):
        return [["no answer"], [problem.reference()], ["no answer"], []][player]
    winning = [extract(move) for move in problem.reference_moves()]
    junk = [f"no move {turn}" for turn in range(problem.turns)]
    return [junk[: problem.turns - len(winning)] + winning, winning, [*junk, "one more"], []][
        player
    ]


def verdict(problem, player):
    sent = [f"<answer>{text}</answer>" for text in moves(problem, player)]
    if not isinstance(problem, Dialogue):
        return problem.verify(sent[0] if sent else "")
    return problem.verify(conversation(sent))


def trainer_of(policy, folder, steps):
    torch.set_num_threads(1)
    args = recipe(
        problems=3,
        group=4,
        output_dir=str(folder),
        max_steps=steps,
        max_completion_length=4000,
        per_device_train_batch_size=12 // int(os.environ.get("WORLD_SIZE", "1")),
        save_strategy="steps",
        save_steps=2,
        logging_steps=1,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
        disable_tqdm=True,
    )
    easy = CurriculumSettings(tau_num=4, tau_acc=0.5)  # half of the players win a dialogue
    options = rlve_environments(NAMES, group=4, curriculum=easy, problems=30)
    trainer = GRPOTrainer(model=policy, args=args, **options)
    tokenizer = trainer.processing_class

    def written(prompt_ids, *_, **__):
        texts = []
        for row, ids in enumerate(prompt_ids):
            prompt = tokenizer.decode(ids)
            rows = re.findall(r"row (\d+):", prompt)  # what follows an opening has only some rows
            row = int(rows[0]) if rows else row
            script = moves(trainer.environments[row]._problem, row % 4)
            turn = len(rows)
            text = call(script[turn]) if turn < len(script) else "I am done.<|im_end|>"
            texts.append(f"row {row}: {text}")
        return tokenizer(texts)["input_ids"], None

    trainer._generate_single_turn = written
    return trainer


def watched(trainer):
    """For each rollout: its problem, what it was told, its tokens that train, and its reward."""
    seen = []
    generate, reward = trainer._generate, trainer.reward_funcs[0]

    def generated(prompts):
        found = generate(prompts)
        prompts, ids, masks, messages = found[0], found[1], found[2], found[3]
        for place, each in enumerate(trainer.environments):
            told = [turn["content"] for turn in messages[place] if turn["role"] == "tool"]
            own = [token for token, kept in zip(ids[place], masks[place], strict=True) if kept]
            opening = trainer.processing_class.decode(prompts[place])
            seen.append([each._problem, opening, told, trainer.processing_class.decode(own)])
        return found

    def rewarded(**columns):
        rewards = reward(**columns)
        for row, value in zip(seen[-len(rewards) :], rewards, strict=True):
            row.append(value)
        return rewards

    trainer._generate, trainer.reward_funcs[0] = generated, rewarded
    return seen


def test_a_group_meets_one_problem_and_its_rewards_move_the_curriculum(policy, tmp_path):
    trainer = trainer_of(policy, tmp_path, steps=3)
    seen = watched(trainer)
    trainer.train()
    assert len(seen) == 3 * 12
    for place, (problem, opening, told, own, reward) in enumerate(seen):
        row = place % 12
        assert problem == seen[place - place % 4][0]
        assert (problem.opening() if isinstance(problem, Dialogue) else problem.prompt()) in opening
        sent = moves(problem, row % 4)
        wanted = verdict(problem, row % 4)
        assert reward == pytest.approx(wanted.reward)
        texts = [*map(call, sent), "I am done.<|im_end|>"]
        assert own == "".join(f"row {row}: {text}" for text in texts)
        if isinstance(problem, Dialogue):
            replies = [
                each.text for each in problem.replies(f"<answer>{text}</answer>" for text in sent)
            ]
            refused = [str({"error": "It is over: no further answer is taken."})]
            assert told == replies + refused * (len(sent) - len(replies))
    assert {type(row[0]).__name__ for row in seen} == set(NAMES)
    last = [log for log in trainer.state.log_history if "rlve/h" in log][-1]
    assert last["rlve/h/GuessNumber"] > 0
    assert last["rlve/h/Sorting"] == 0  # a quarter of its players are right
    assert last["rewards/rlve/mean"] == pytest.approx(sum(row[-1] for row in seen[-12:]) / 12)

    again = trainer_of(policy, tmp_path, steps=3)
    resumed = watched(again)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-2"))
    assert resumed == seen[24:]


def test_a_group_across_two_ranks_meets_one_problem(policy, tmp_path):
    """Three groups of 4 on two ranks: the second one is half here, half there."""
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", __file__]
    done = subprocess.run(
        [sys.executable, *words, policy, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    one, other = (json.loads((tmp_path / f"rank{rank}.json").read_text()) for rank in range(2))
    for step in range(2):
        (first, *_, second, third), (fourth, *_, last) = (
            each["problems"][6 * step : 6 * step + 6] for each in (one, other)
        )
        assert second == third == fourth
        assert len({json.dumps(each) for each in (first, second, last)}) == 3
    assert one["bounds"] == other["bounds"]
    assert any(h > 0 for h in one["bounds"].values())


def test_a_rollout_that_cannot_be_judged_is_neither_better_nor_worse(policy, tmp_path):
    trainer = trainer_of(policy, tmp_path, steps=1)
    seen = watched(trainer)
    reward = trainer.reward_funcs[0]

    def failing(environments, **columns):
        environments[0]._judged = Failure("deadline", "it took too long")
        return reward(environments=environments, **columns)

    trainer.reward_funcs[0] = failing
    trainer.train()
    first, *others = [row[-1] for row in seen[:4]]
    assert first == pytest.approx(sum(others) / 3)


def test_the_documented_script_runs(policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[3] / "docs" / "trainers" / "trl.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    [script] = [block for block in blocks if "rlve_environments" in block]
    small = "max_steps=1, max_completion_length=32, problems=2, group=2, report_to='none', "
    small += "per_device_train_batch_size=4, use_cpu=True, bf16=False, gradient_checkpointing=False"
    script = script.replace("max_steps=500, max_completion_length=4096", small)
    names = {}
    exec(compile(script.replace("Qwen/Qwen3-1.7B", policy), page.name, "exec"), names)
    assert names["trainer"].state.global_step == 1


if __name__ == "__main__":  # on each rank of test_a_group_across_two_ranks_meets_one_problem
    model, folder = sys.argv[1:]
    ranked = trainer_of(model, folder, steps=2)
    rollouts = watched(ranked)
    ranked.train()
    last = ranked.state.log_history[-2]
    found = {
        "problems": [[type(row[0]).__name__, row[0].parameters()] for row in rollouts],
        "bounds": {name: h for name, h in last.items() if name.startswith("rlve/h/")},
    }
    Path(folder, f"rank{os.environ['RANK']}.json").write_text(json.dumps(found))
