import shutil
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

import rlve
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models.config import PolicyConfig
from rlve.models.engines.choice import make_engine
from rlve.models.locations import NANO
from rlve.models.policy import computing_in, load_policy, load_reader
from rlve.train.checkpoint import load_tensors
from rlve.train.trainer import train
from support.families import tiny
from support.run_tiny import tiny_config
from support.sampling import gaps, sampled


@pytest.fixture(scope="module")
def nano():
    return load_policy(PolicyConfig(model="nano", format="plain", device="cpu"), context=700)


def test_nano_is_small_and_reads_our_prompts_in_few_tokens(nano):
    assert sum(path.stat().st_size for path in NANO.iterdir()) < 10_000_000
    problem = Sorting.generate(difficulty=2, seed=1)
    tokens = nano.encode(problem)
    assert len(tokens) < 60
    assert nano.tokenizer.decode(tokens) == nano.format.wrap(problem.prompt())


def test_nano_writes_digits_one_by_one(nano):
    tokens = nano.tokenizer("12 345")["input_ids"]
    assert [nano.tokenizer.decode([token]) for token in tokens] == ["1", "2", " ", "3", "4", "5"]


def test_nano_has_a_chat_template(nano):
    chat = load_policy(PolicyConfig(model="nano", format="chat", device="cpu"), context=700)
    text = chat.tokenizer.decode(chat.encode(Sorting.generate(difficulty=0, seed=0)))
    assert text.startswith("Sort these 3 integers")
    assert "\\boxed{}" in text


# A model whose template shows what it is given.
TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if enable_thinking is defined and not enable_thinking %}no thoughts, {% endif %}"
    "{{ style | default('plainly') }}"
)


@pytest.fixture
def templated(tmp_path):
    """Nano with that template."""
    folder = shutil.copytree(NANO, tmp_path / "model")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    return folder


def written(model, **settings):
    """What the model is given for a problem."""
    reader = load_reader(PolicyConfig(model=str(model), **settings))
    return reader.tokenizer.decode(reader.encode(Sorting.generate(difficulty=0, seed=0)))


def test_a_system_prompt_stands_before_the_turn_of_the_user(templated):
    plain = written(templated)
    assert plain.startswith("[user] Sort these")
    assert plain.endswith("plainly")
    assert written(templated, system_prompt="Be brief.") == f"[system] Be brief.\n{plain}"


def test_arguments_reach_the_chat_template(templated):
    plain = written(templated)
    given = written(templated, template_arguments=("enable_thinking=false", "style=in rhymes"))
    assert given == plain.removesuffix("plainly") + "no thoughts, in rhymes"
    assert written(templated, template_arguments=("enable_thinking=true",)) == plain
    as_in_python = ("enable_thinking=False", "style=True")
    assert written(templated, template_arguments=as_in_python).endswith("no thoughts, True")


def test_arguments_are_written_as_in_json_or_in_python():
    given = ("a=1", "b=null", "c=x=y", "d=True", "e=None", "f=Falsehood")
    options = PolicyConfig(template_arguments=given).template_options()
    expected = {"a": 1, "b": None, "c": "x=y", "d": True, "e": None, "f": "Falsehood"}
    assert options == expected


def test_the_format_is_chat_if_there_is_a_template_and_else_base(templated, tiny_policy):
    for model, name in ((templated, "chat"), (tiny_policy, "base")):
        reader = load_reader(PolicyConfig(model=str(model)))
        assert reader.format.name == name
        policy = load_policy(PolicyConfig(model=str(model), device="cpu"), context=64)
        assert policy.format.name == name
    assert written(templated, format="base").startswith("A conversation between User and")


TURNS = "{% for m in messages %}@{{ m.role }}\n{{ m.content }}{% endfor %}"


CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MARKS = ["<|im_start|>", "<|im_end|>"]


def reader_with(model, template, **settings):
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.add_tokens(MARKS, special_tokens=True)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(model)
    reader = load_reader(PolicyConfig(model=str(model), **settings))
    ends = tokenizer.convert_tokens_to_ids(["<end>", "<|im_end|>"])
    return replace(reader, stop_tokens=tuple(ends))


@pytest.mark.parametrize("after", ["<|im_end|>", " <|im_end|>"])
def test_a_reply_is_appended_as_the_template_writes_it(after, templated):
    """Only what is new is tokenised, and what ended the message is not written twice."""
    policy = reader_with(templated, CHATML.replace("<|im_end|>", after), system_prompt="Play.")
    opening = [{"role": "user", "content": "Which number?"}]
    said, reply = "I say <answer>5</answer>.", "higher\nYou have 2 messages left."
    message = policy.continuation(said + "<|im_end|>")
    rendered = policy.tokenise(policy.format.follow(opening, said, reply))
    if after == "<|im_end|>":
        assert policy.tokenise(opening) + message + policy.reply(message, reply) == rendered
    text = f"\n<|im_start|>user\n{reply}{after}\n<|im_start|>assistant\n"
    assert policy.tokenizer.decode(policy.reply(message, reply)) == text
    # One that a stop string or another token has ended is ended by the template.
    assert policy.tokenizer.decode(policy.reply(message[:-1], reply)) == after + text


@pytest.mark.parametrize(
    ("format", "written"),
    [
        ("plain", "\n\nhigher\n"),
        ("base", "\nUser: higher\nAssistant: Let me solve this step by step.\n<think>"),
    ],
)
def test_without_a_template_a_reply_is_the_next_lines(format, written, templated):
    policy = reader_with(templated, None, format=format)
    end = policy.tokenizer.eos_token_id
    assert policy.tokenizer.decode(policy.reply([end], "higher")) == written


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ("{{ m.content.split('</think>')[-1] }}", "model rewrites earlier messages"),
        ("{% if not loop.last or loop.first %}{{ m.content }}{% endif %}", "rewrites earlier"),
        ("{% if loop.index > 1 %}{{ raise_exception('one turn') }}{% endif %}", "one turn"),
    ],
)
def test_a_template_that_rewrites_earlier_messages_is_refused_by_name(
    changed, complaint, templated
):
    policy = reader_with(templated, CHATML.replace("{{ m.content }}", changed))
    with pytest.raises(UserError, match=complaint):
        policy.reply([1], "higher")
    thinking = CHATML.replace("assistant\n", "assistant\n<think>\n")  # opened for the model
    policy = reader_with(templated, thinking)
    with pytest.raises(UserError, match="rewrites earlier messages"):
        policy.reply([1], "higher")


@pytest.mark.parametrize(
    ("after", "end"),
    [
        ("<|im_end|>\n", "<|im_end|>"),  # ChatML
        ("  <|eos|>", "<|eos|>"),
        ("<|im_end|>\n<|eos|>", "<|im_end|>"),
        ("\n### ", None),  # a text, which no single token ends
        ("", None),
        ("{{ raise_exception('no') }}", None),
    ],
)
def test_the_end_of_an_assistants_turn_ends_outputs(after, end, templated):
    """Although the end of text is another token, as in base models with a chat template."""
    tokenizer = AutoTokenizer.from_pretrained(templated)
    tokenizer.add_tokens(["<|im_end|>", "<|eos|>"], special_tokens=True)
    tokenizer.chat_template = TURNS.replace("{% endfor", after + "{% endfor")
    tokenizer.save_pretrained(templated)
    expected = {tokenizer.eos_token_id}
    if end is not None:
        expected.add(tokenizer.convert_tokens_to_ids(end))
    for format in ("chat", "plain"):  # evaluations render chats themselves
        config = PolicyConfig(model=str(templated), format=format, device="cpu")
        assert set(load_policy(config, context=64).stop_tokens) == expected


@pytest.mark.parametrize(
    "setting", [{"system_prompt": "Be brief."}, {"template_arguments": ("enable_thinking=false",)}]
)
def test_what_only_a_chat_can_have_is_not_left_out_in_silence(setting, tiny_policy):
    with pytest.raises(rlve.UserError, match=r"are for chats, but the format of .* is base"):
        load_reader(PolicyConfig(model=str(tiny_policy), **setting))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"template_arguments": ("thinking",)}, "must be NAME=VALUE, not 'thinking'"),
        ({"template_arguments": ("a b=1",)}, "must be NAME=VALUE"),
        ({"lora_rank": -1}, "policy.lora-rank must be at least 0, not -1"),
        ({"lora_alpha": 0.0}, "policy.lora-alpha must be above 0 and finite, not 0"),
        ({"lora_alpha": -1.5}, "policy.lora-alpha must be above 0 and finite, not -1.5"),
        ({"lora_alpha": float("nan")}, "policy.lora-alpha must be above 0 and finite, not nan"),
        ({"lora_alpha": float("inf")}, "policy.lora-alpha must be above 0 and finite, not inf"),
        ({"stop_strings": ("",)}, "policy.stop-strings must not be empty"),
        (
            {"system_prompt": "?", "format": "plain"},
            "policy.system-prompt needs policy.format chat",
        ),
    ],
)
def test_settings_that_cannot_work_are_refused(settings, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        PolicyConfig(**settings).check()


def test_the_revision_and_the_attention_are_passed_on(tiny_policy, monkeypatch):
    given = {}
    for kind in (AutoConfig, AutoTokenizer, AutoModelForCausalLM):
        right = kind.from_pretrained

        def spied(place, *arguments, right=right, kind=kind, **options):
            given[kind] = {key: value for key, value in options.items() if key != "config"}
            return right(tiny_policy, **{k: v for k, v in options.items() if k != "revision"})

        monkeypatch.setattr(kind, "from_pretrained", spied)
    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", lambda url, *, timeout: None)
    config = PolicyConfig(model="some/model", revision="v2", attention="eager", device="cpu")
    policy = load_policy(config, context=64)
    plain = {"trust_remote_code": False}
    loaded = {**plain, "dtype": torch.float32, "output_loading_info": True}
    exact = {**plain, "clean_up_tokenization_spaces": False}  # answers as they were written
    assert given[AutoConfig] == {**plain, "revision": "v2"}
    assert given[AutoTokenizer] == {**exact, "revision": "v2"}
    assert given[AutoModelForCausalLM] == {
        **loaded,
        "revision": "v2",
        "attn_implementation": "eager",
    }
    assert policy.model.config._attn_implementation == "eager"
    load_policy(replace(config, revision=None, attention="auto"), context=64)
    assert given[AutoConfig] == plain
    assert given[AutoTokenizer] == exact
    assert given[AutoModelForCausalLM] == loaded


def test_what_a_policy_must_have(tiny_policy, tmp_path):
    with pytest.raises(rlve.UserError, match="has no chat template"):
        load_policy(PolicyConfig(model=str(tiny_policy), format="chat"), context=64)
    with pytest.raises(rlve.UserError, match="do not fit into the context"):
        load_policy(PolicyConfig(model=str(tiny_policy), format="plain"), context=129)
    with pytest.raises(rlve.UserError, match=r"it has no config\.json"):
        load_policy(PolicyConfig(model=str(tmp_path)), context=64)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(rlve.UserError, match="cannot load the model"):
        load_policy(PolicyConfig(model=str(tmp_path)), context=64)


def test_weights_stay_in_single_precision(tiny_policy):
    config = PolicyConfig(model=str(tiny_policy), format="plain", dtype="bfloat16", device="cpu")
    policy = load_policy(config, context=64)
    assert {parameter.dtype for parameter in policy.model.parameters()} == {torch.float32}
    with computing_in(config, torch.device("cpu")), torch.no_grad():
        assert policy.model(torch.tensor([[3, 4]])).logits.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("settings", "alpha", "targets"),
    [
        ({}, 8, {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}),
        ({"lora_alpha": 3.0, "lora_targets": ("q_proj", "v_proj")}, 3.0, {"q_proj", "v_proj"}),
    ],
)
def test_the_scale_and_the_places_of_adapters(settings, alpha, targets, tiny_policy):
    pytest.importorskip("peft")
    config = PolicyConfig(model=str(tiny_policy), device="cpu", lora_rank=4, **settings)
    model = load_policy(config, context=64).model
    assert model.peft_config["default"].lora_alpha == alpha
    trained = [name for name, p in model.named_parameters() if p.requires_grad]
    assert {name.split(".")[-4] for name in trained} == targets
    assert all("lora_" in name for name in trained)
    adapted = [m for m in model.modules() if hasattr(m, "lora_A")]
    assert {m.scaling["default"] for m in adapted} == {alpha / 4}


@pytest.mark.parametrize(
    ("targets", "complaint"),
    [
        (("q_proj", "v_projj"), "has no linear layer 'v_projj'; did you mean v_proj?"),
        (("q_projj",), "has no linear layer 'q_projj'; did you mean q_proj?"),
        (("proj",), "has no linear layer 'proj'"),
        (("self_attn",), "has no linear layer 'self_attn'"),
        (("zzz",), "it has down_proj, embed_tokens, gate_proj, k_proj, lm_head, o_proj"),
    ],
)
def test_each_layer_to_adapt_must_exist(targets, complaint, tiny_policy):
    pytest.importorskip("peft")
    config = PolicyConfig(model=str(tiny_policy), device="cpu", lora_rank=4, lora_targets=targets)
    with pytest.raises(rlve.UserError) as caught:
        load_policy(config, context=64)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("target", ["lm_head", "embed_tokens"])
def test_weights_that_are_shared_are_not_adapted(target):
    """The head's adapters would be merged into the embedding as well."""
    pytest.importorskip("peft")
    config = PolicyConfig(device="cpu", lora_rank=4, lora_targets=("q_proj", target))
    with pytest.raises(rlve.UserError, match=f"{target} cannot be adapted.* share their weights"):
        load_policy(config, context=64)


@pytest.mark.parametrize("name", ["in-process", "paged"])
@pytest.mark.parametrize("target", ["lm_head", "embed_tokens"])
def test_weights_that_are_not_shared_can_be_adapted(target, name, tiny_policy):
    pytest.importorskip("peft")
    targets = ("layers.0.self_attn.q_proj", target)
    config = PolicyConfig(model=str(tiny_policy), device="cpu", lora_rank=4, lora_targets=targets)
    policy = load_policy(config, context=64)
    assert not policy.model.config.tie_word_embeddings
    with torch.no_grad():
        for place, weight in policy.model.named_parameters():
            if "lora_" in place:
                weight.normal_(0, 0.3)
    engine = make_engine(policy, name=name, max_tokens=4, slots=4)
    assert gaps(policy.model, sampled(engine)).max() < 1e-4


def test_adapters_of_another_kind_are_not_loaded(tiny_policy, tmp_path):
    pytest.importorskip("peft")

    def adapted(*targets, rank=4):
        config = PolicyConfig(
            model=str(tiny_policy), device="cpu", lora_rank=rank, lora_targets=targets
        )
        return load_policy(config, context=64)

    saved = adapted("q_proj", "v_proj")
    with torch.no_grad():
        for name, weight in saved.model.named_parameters():
            if "lora_" in name:
                weight.fill_(7.0)
    saved.model.save_pretrained(tmp_path)
    same = adapted("q_proj", "v_proj")
    same.load_weights(tmp_path)
    loaded = [weight for name, weight in same.model.named_parameters() if "lora_" in name]
    assert all((weight == 7.0).all() for weight in loaded)
    for targets in (("k_proj",), ("q_proj",), ("q_proj", "v_proj", "k_proj")):
        with pytest.raises(rlve.UserError, match="belong to other layers"):
            adapted(*targets).load_weights(tmp_path)
    with pytest.raises(rlve.UserError, match="have another rank"):
        adapted("q_proj", "v_proj", rank=8).load_weights(tmp_path)


def test_nothing_is_dropped_at_random(tiny_policy, tmp_path):
    """Else the model that is trained would not be the one that was sampled from."""
    model = tiny("gpt2")
    model.config.attn_pdrop = 0.1
    model.save_pretrained(tmp_path / "gpt2")
    tokenizer = load_reader(PolicyConfig(model=str(tiny_policy))).tokenizer
    tokenizer.save_pretrained(tmp_path / "gpt2")
    config = PolicyConfig(model=str(tmp_path / "gpt2"), format="plain", device="cpu")
    policy = load_policy(config, context=64)
    engine = make_engine(policy, max_tokens=12, slots=8)
    rollouts = sampled(engine)
    assert gaps(policy.model.train(), rollouts).max() < 1e-5


def test_a_checkpoint_has_the_adapters_and_their_optimiser_only(tiny_policy, tmp_path):
    pytest.importorskip("peft")
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    train(replace(config, policy=replace(config.policy, lora_rank=4)))
    place = latest_checkpoint(tmp_path / "run")
    assert not list(place.rglob("model*.safetensors"))
    adapters = load_file(place / "model" / "adapter_model.safetensors")
    trained = sum(weight.numel() for weight in adapters.values())
    moments = load_tensors(place)["optimizer"]["state"].values()
    assert sum(state["exp_avg"].numel() for state in moments) == trained
