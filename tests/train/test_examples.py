import copy
import threading
from collections import Counter
from concurrent.futures import Future, wait
from dataclasses import replace
from random import Random

import pytest
import torch

import rlve
from rlve.formats import BASE, CHAT, PLAIN
from rlve.models.config import PolicyConfig
from rlve.models.logprobs import Scorer
from rlve.models.packs import micro_batches
from rlve.models.policy import Policy, load_policy
from rlve.models.rollouts import Rollout
from rlve.pool import Pool
from rlve.pool.worker import attempt, show, solve
from rlve.train.teaching import examples as made
from rlve.train.teaching.config import LessonConfig
from rlve.train.teaching.examples import (
    Example,
    ExampleSource,
    answer_loss,
    end_token,
    taught_levels,
)
from support.gguf_files import END, TEMPLATE, tiny_llama, write_gguf
from support.successor import Successor

LIMITS = {"max_prompt_tokens": 512, "max_answer_tokens": 192}


def lesson_of(names, levels, **settings):
    return LessonConfig(environments=tuple(names), without=(), levels=tuple(levels), **settings)


def source_of(lesson, policy, pool, *, batch, seed):
    lesson = replace(lesson, examples=batch)
    return ExampleSource(lesson, taught_levels(lesson), policy, pool, seed=seed)


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


@pytest.fixture(scope="module")
def policies(tmp_path_factory):
    """A model of bytes, in each of the formats."""
    path = write_gguf(tmp_path_factory.mktemp("gguf") / "t.gguf", tiny_llama(), template=TEMPLATE)
    chat = load_policy(PolicyConfig(model=str(path), device="cpu"), context=64)
    return {format.name: replace(chat, format=format) for format in (CHAT, BASE, PLAIN)}


# What is taught.


@pytest.mark.parametrize("format", ["chat", "base", "plain"])
def test_an_example_is_the_prompt_of_training_and_the_marked_reference(policies, pool, format):
    policy = policies[format]
    lesson = lesson_of(["Successor"], [0, 3], **LIMITS)
    source = source_of(lesson, policy, pool, batch=6, seed=1)
    for example in source.take():
        problem = Successor.generate(difficulty=example.difficulty, seed=example.seed)
        assert example.name == "Successor"
        assert example.difficulty in (0, 3)
        assert example.seed >= 0  # those that accuracy is measured on are negative
        assert example.prompt == policy.encode(problem)
        marked = policy.format.output(problem, problem.reference())
        assert policy.tokenizer.decode(example.answer) == marked + END
    source.close()


@pytest.mark.parametrize("format", ["chat", "base", "plain"])
def test_many_prompts_are_encoded_as_one_by_one(policies, format):
    policy = replace(policies[format], system_prompt="Be brief." if format == "chat" else None)
    problems = [
        rlve.environment(name).generate(difficulty=d, seed=d)
        for name in ("Sorting", "SAT", "Sudoku")
        for d in range(3)
    ]
    assert policy.encode_all(problems) == [policy.encode(problem) for problem in problems]
    assert policy.encode_all([]) == []


def test_the_end_of_a_chat_is_that_of_a_turn(policies):
    assert end_token(policies["chat"]) == end_token(policies["plain"]) == 258
    chat: Policy = policies["chat"]
    tokenizer = copy.deepcopy(chat.tokenizer)
    tokenizer.add_tokens("<|turn|>", special_tokens=True)
    tokenizer.chat_template = "{% for m in messages %}{{ m.content }}<|turn|>{% endfor %}"
    turns = replace(chat, tokenizer=tokenizer)
    assert end_token(turns) == tokenizer.convert_tokens_to_ids("<|turn|>")
    assert end_token(replace(turns, format=PLAIN)) == 258


@pytest.mark.parametrize("format", ["chat", "base", "plain"])
def test_a_dialogue_is_taught_as_a_conversation_that_is_won(policies, pool, format):
    policy = policies[format]
    lesson = lesson_of(["GuessNumber"], [1], max_prompt_tokens=1000, max_answer_tokens=1000)
    source = source_of(lesson, policy, pool, batch=4, seed=1)
    batch = source.take()
    source.close()
    for example in batch:
        output = Rollout(example.prompt, example.answer, given=list(example.given))
        messages = example.problem.reference_moves()
        assert [policy.decode(tokens) for tokens in output.messages] == messages
        assert all(tokens[-1] == end_token(policy) for tokens in output.messages)
        *replies, won = example.problem.replies(messages)
        assert won.verdict.correct
        told = [policy.reply([end_token(policy)], reply.text) for reply in replies]
        assert [example.answer[begin:end] for begin, end in example.given] == told
        assert example.learnt == output.length
        assert example.read + example.learnt == len(example.prompt) + len(example.answer)
    assert any(example.given for example in batch)


# Worked solutions.


@pytest.mark.parametrize("format", [CHAT, BASE, PLAIN])
def test_what_is_worked_out_is_taught_line_by_line(policies, pool, format):
    policy = policies[format.name]
    limits = {"max_prompt_tokens": 1024, "max_answer_tokens": 1024}
    lesson = lesson_of(["Sorting", "Successor"], [0, 1], worked="where-possible", **limits)
    source = source_of(lesson, policy, pool, batch=12, seed=1)
    batch = source.take()
    source.close()
    assert {(example.name, example.worked) for example in batch} == {
        ("Sorting", True),
        ("Successor", False),  # answers where there is no worked solution
    }
    for example in batch:
        problem = example.problem
        taught = policy.tokenizer.decode(example.answer).removesuffix(END)
        worked = policy.format.worked_output(problem)
        assert taught == (worked or policy.format.output(problem, problem.reference()))
        assert problem.verify(taught, marker=format.marker).correct


def test_only_what_has_a_worked_solution_is_taught(policies, pool):
    limits = {"max_prompt_tokens": 1024, "max_answer_tokens": 1024}
    lesson = lesson_of(["Sorting", "Successor"], [0, 1], worked="only", **limits)
    assert list(taught_levels(lesson)) == ["Sorting"]
    source = source_of(lesson, policies["plain"], pool, batch=4, seed=1)
    assert all(example.worked for example in source.take())
    source.close()
    with pytest.raises(rlve.UserError, match=r"none of data\.environments has worked"):
        taught_levels(lesson_of(["Successor"], [0], worked="only", **limits))


class Halves(Successor):
    """Says how it is done for even digits only."""

    def work(self):
        if self.digit % 2:
            return None
        yield f"{self.digit} + 1 = {self.digit + 1}"
        return str(self.digit + 1)


def test_problems_without_a_worked_solution_and_long_ones_are_left_out(policies):
    with rlve.registry.registered(Halves):
        for worked, tokens, reason in (
            ("only", 192, "no worked solution"),
            ("where-possible", 30, "answer too long"),  # no bare answer takes its place
        ):
            lesson = lesson_of(
                ["Halves"], [0], worked=worked, max_prompt_tokens=512, max_answer_tokens=tokens
            )
            source = source_of(lesson, policies["plain"], Solving(), batch=8, seed=1)
            batch = source.take()
            assert {example.worked for example in batch} == {worked == "only"}
            assert source.left_out["Halves"].keys() == {reason}
            source.close()


# In which order.


def drawn(policies, pool, *, batches, seed=1, names=("Successor", "Sorting"), **limits):
    lesson = lesson_of(names, [0, 1], **LIMITS | limits)
    source = source_of(lesson, policies["plain"], pool, batch=5, seed=seed)
    found = [source.take() for _ in range(batches)]
    source.close()
    return found, source


def test_the_order_depends_on_the_seed_alone(policies, pool):
    found, source = drawn(policies, pool, batches=4)
    with Pool(2) as other:
        assert drawn(policies, other, batches=4)[0] == found
    assert drawn(policies, pool, batches=4, seed=2)[0] != found
    assert source.left_out == {}
    seen = Counter((each.name, each.difficulty) for batch in found for each in batch)
    assert len(seen) == 4


def test_it_goes_on_exactly_from_a_state(policies, pool):
    found, _ = drawn(policies, pool, batches=4, max_answer_tokens=40)
    lesson = lesson_of(["Successor", "Sorting"], [0, 1], **LIMITS | {"max_answer_tokens": 40})
    first = source_of(lesson, policies["plain"], pool, batch=5, seed=1)
    assert [first.take(), first.take()] == found[:2]
    state = first.state_dict()
    second = source_of(lesson, policies["plain"], pool, batch=5, seed=1)
    second.load_state_dict(state)
    assert second.left_out == first.left_out
    assert [second.take(), second.take()] == found[2:]
    assert [first.take(), first.take()] == found[2:]
    assert second.state_dict() == first.state_dict()
    first.load_state_dict(state)  # also when it was elsewhere
    assert [first.take(), first.take()] == found[2:]
    for source in (first, second):
        source.close()


def test_it_can_be_closed_when_the_first_batch_was_interrupted(policies, monkeypatch):
    begun, release = threading.Event(), threading.Event()

    class Waiting(Solving):
        def solve_iter(self, requests, *, background):
            for solved in super().solve_iter(requests, background=background):
                begun.set()
                release.wait()
                yield solved

    def interrupted(future):
        begun.wait()
        raise KeyboardInterrupt

    def awaited(futures):
        release.set()
        return wait(futures)

    lesson = lesson_of(["Sorting"], [0], **LIMITS)
    source = source_of(lesson, policies["chat"], Waiting(), batch=2, seed=0)
    with monkeypatch.context() as patch:
        patch.setattr(Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            source.take()
    monkeypatch.setattr(made, "wait", awaited)
    try:
        source.close()
    finally:
        release.set()


# What is left out.


class Mute(Successor):
    """Has no reference."""

    def reference(self):
        return None


class Unbalanced(Successor):
    r"""Has a reference that \boxed{} cannot hold."""

    def reference(self):
        return "}"


class Hopeless(Successor):
    """Cannot be generated."""

    @classmethod
    def sample(cls, rng: Random, N: int):
        raise ValueError("no luck")


class Solving:
    """A pool that solves in this process."""

    def solve_iter(self, requests, *, background):
        assert background
        for request in requests:
            yield attempt(solve, request)

    def show_iter(self, requests, *, background):
        assert background
        for request in requests:
            yield attempt(show, request)


@pytest.mark.parametrize(
    ("environment", "limits", "reason"),
    [
        (Mute, {}, "no reference"),
        (Unbalanced, {}, "cannot be marked"),
        (Hopeless, {}, "error"),
        (Successor, {"max_prompt_tokens": 20}, "prompt too long"),
        (Successor, {"max_answer_tokens": 9}, "answer too long"),
    ],
)
def test_what_cannot_be_taught_is_left_out_and_counted(
    policies, monkeypatch, environment, limits, reason
):
    from rlve.registry import registered

    monkeypatch.setattr(made, "IN_A_ROW", 30)
    with registered(environment) if environment is not Successor else registered(Mute):
        lesson = lesson_of([environment.__name__], [0], **LIMITS | limits)
        source = source_of(lesson, policies["chat"], Solving(), batch=2, seed=0)
        with pytest.raises(rlve.UserError, match=rf"30 problems in a row .*\({reason} 30\)"):
            source.take()
        source.close()
        names = [environment.__name__, "Sorting"]
        lesson = lesson_of(names, [0], **LIMITS | {**limits, "max_prompt_tokens": 512})
        if "max_answer_tokens" not in limits and "max_prompt_tokens" not in limits:
            source = source_of(lesson, policies["chat"], Solving(), batch=8, seed=0)
            assert {example.name for example in source.take()} == {"Sorting"}
            assert source.left_out[environment.__name__].keys() == {reason}
            source.close()


def test_an_environment_is_taught_the_levels_that_it_has():
    highest = rlve.environment("FBI_BinaryTree").max_difficulty
    lesson = lesson_of(["FBI_BinaryTree", "Sorting"], [0, highest + 1], **LIMITS)
    assert taught_levels(lesson) == {"FBI_BinaryTree": [0], "Sorting": [0, highest + 1]}
    lesson = lesson_of(["FBI_BinaryTree", "Sorting"], [highest + 1], **LIMITS)
    assert taught_levels(lesson) == {"Sorting": [highest + 1]}
    with pytest.raises(rlve.UserError, match=r"no environment has any of data\.levels"):
        taught_levels(lesson_of(["FBI_BinaryTree"], [highest + 1], **LIMITS))


# The loss.


def example(prompt, answer):
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    return Example("Sorting", 0, 0, problem, prompt, answer)


def some(count, seed=0):
    rng = Random(seed)

    def tokens(most):
        return [rng.randrange(258) for _ in range(rng.randint(1, most))]

    return [example(tokens(40), [*tokens(9), 258]) for _ in range(count)]


def plainly(model, examples):
    """The same by transformers' own loss, one example at a time."""
    total = 0.0
    for each in examples:
        ids = torch.tensor([each.prompt + each.answer])
        labels = torch.tensor([[-100] * len(each.prompt) + each.answer])
        total = total + model(input_ids=ids, labels=labels).loss * len(each.answer)
    return total


def gradients(model):
    found = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad(set_to_none=True)
    return found


def test_the_loss_is_that_of_a_plain_implementation():
    model = tiny_llama()
    examples = some(7)
    expected = plainly(model, examples)
    expected.backward()
    wanted = gradients(model)
    score = Scorer(model)
    parts = micro_batches([each.row for each in examples], 60, 0)
    losses = [answer_loss(score, [examples[i] for i in part]).loss for part in parts]
    assert len(losses) > 1
    sum(losses).backward()
    torch.testing.assert_close(sum(losses), expected)
    for name, gradient in gradients(model).items():
        torch.testing.assert_close(gradient, wanted[name], rtol=1e-3, atol=1e-4)


def test_only_answers_carry_loss():
    model = tiny_llama()
    [each] = some(1)
    logits = {}

    def spied(module, inputs, output):
        output.retain_grad()
        logits["of all"] = output

    score = Scorer(model)  # which tries the model out
    with torch.no_grad():
        before = answer_loss(score, [each]).loss
    handle = model.get_output_embeddings().register_forward_hook(spied)
    loss = answer_loss(score, [each]).loss
    handle.remove()
    loss.backward()
    assert loss == before
    # Only the places that predict a token of the answer have logits at all.
    assert logits["of all"].shape == (len(each.answer), 259)
    predicted = logits["of all"].grad.argmin(dim=-1).tolist()
    assert predicted == each.answer  # each is pushed up, the end included
