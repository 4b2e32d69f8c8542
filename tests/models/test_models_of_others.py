"""Folders and files of models that somebody else made: each fault is one sentence, and soon."""

import json
import shutil
import struct
import time

import psutil
import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

import rlve
from rlve.envs.arrays.sorting import Sorting
from rlve.models import reading, templates
from rlve.models.config import PolicyConfig
from rlve.models.locations import NANO
from rlve.models.policy import load_policy, load_reader
from rlve.train.config import Config
from rlve.train.model_limits import fit_to_model
from support.gguf_files import tiny_llama, write_gguf

EVIL = "\x1b]0;PWN\x07"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(NANO, tmp_path / "model")


def load(model):
    return load_policy(PolicyConfig(model=str(model)), context=64)


def train(model):
    """Training looks at the settings first."""
    fit_to_model(Config(policy=PolicyConfig(model=str(model), device="cpu")))
    load(model)


def refused(model, use=load):
    """Whether it is refused, in one line."""
    try:
        use(model)
    except rlve.UserError as error:
        return "\n" not in str(error)
    return False


def with_template(folder, template):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages.__class__.__mro__ }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{{ 1 / 0 }}",
        "{{ messages + 1 }}",
        "{{ messages[7].content }}",
        "{{ raise_exception('no') }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{% for",
    ],
)
def test_a_template_that_cannot_be_used(template, folder):
    reader = load_reader(PolicyConfig(model=str(with_template(folder, template))))
    with pytest.raises(rlve.UserError, match=r"the chat template of .*model cannot write a conv"):
        reader.encode(Sorting.generate(difficulty=0, seed=0))


ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{{ 9 ** (9 ** (9 ** 9)) }}",
    "{% if messages | length > 1 %}{{ 9 ** (9 ** (messages | length + 7)) }}{% endif %}x",
    "{% if messages[0].content | length > 200 %}{{ 9 ** (9 ** (9 ** 9)) }}{% endif %}x",
)


def children():
    return {child.pid for child in psutil.Process().children()}


@pytest.mark.parametrize("template", ENDLESS)
def test_a_template_that_does_not_end(template, folder, monkeypatch):
    monkeypatch.setattr(templates, "SECONDS", 1.0)
    before, began = children(), time.monotonic()
    with pytest.raises(rlve.UserError, match=r"template of .*model has not ended after 1 s"):
        load(with_template(folder, template))
    assert time.monotonic() - began < 30
    assert children() <= before  # nothing is left behind


def test_a_template_that_takes_all_memory(folder):
    template = "{{ messages[0].content * 10 ** 11 }}"
    with pytest.raises(rlve.UserError, match=r"template of .*model takes too much memory"):
        load(with_template(folder, template))


def change(file, **settings):
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


@pytest.mark.parametrize("use", [load, train])
@pytest.mark.parametrize(
    "settings",
    [
        {"vocab_size": 7},
        {"vocab_size": 10**9},
        {"vocab_size": -1},
        {"vocab_size": f"many{EVIL}"},
        {"hidden_size": None},
        {"num_attention_heads": 0},
        {"max_position_embeddings": "many"},
        {"rope_parameters": {"rope_type": EVIL, "rope_theta": "a"}},
        {"model_type": EVIL},
        {"hidden_act": EVIL},
        {"num_hidden_layers": 100_000},
        {"model_type": "mixtral", "num_local_experts": 10**6},
        {"part": {"n_layer": 100_000}},
    ],
    ids=str,
)
def test_settings_that_are_wrong(settings, use, folder):
    change(folder / "config.json", **settings)
    with pytest.raises(rlve.UserError, match=r"^cannot load the model [^\n]+$"):
        use(folder)


def test_settings_that_are_not_used(folder):
    change(folder / "config.json", architectures=7)
    load(folder)


def test_as_many_experts_as_the_largest_models_have():
    reading._check_parts({"num_hidden_layers": 61, "text_config": {"num_experts": 512}})
    with pytest.raises(ValueError, match="10,000 experts in each of 61 layers"):
        reading._check_parts({"num_hidden_layers": 61, "text_config": {"num_experts": 10_000}})


@pytest.mark.parametrize("ends", ["x", [[1]], [10**30], 2048, -1, True, {"a": 1}], ids=str)
def test_ends_of_outputs_that_are_no_tokens(ends, folder):
    change(folder / "generation_config.json", eos_token_id=ends)
    with pytest.raises(rlve.UserError, match=r"its eos_token_id .* is none of its 2,048"):
        load(folder)


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({"do_sample": False, "temperature": 0.6, "top_p": 0.95}, {"do_sample": False}),
        ({"temperature": "hot", "top_k": 7, "pad_token_id": -1}, {}),
        ({"use_cache": False, "cache_implementation": "static"}, {"use_cache": False}),
        ({"do_sample": True, "temperature": 0.6}, {"do_sample": True, "temperature": 0.6}),
    ],
)
def test_sampling_settings_without_effect_do_not_hinder_saving(settings, kept, folder, tmp_path):
    file = "generation_config.json"
    (folder / file).write_text(json.dumps(settings))
    load(folder).model.save_pretrained(tmp_path / "saved")
    saved = json.loads((tmp_path / "saved" / file).read_text())
    assert {name: saved.get(name) for name in settings | kept} == dict.fromkeys(settings) | kept


def test_a_tokenizer_of_more_tokens_than_the_model_has(folder, tiny_policy):
    for file in tiny_policy.iterdir():
        if "token" not in file.name:
            shutil.copy(file, folder / file.name)
    with pytest.raises(rlve.UserError, match=r"its tokenizer has [\d,]+ tokens, and the model 23"):
        load(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize(
    "content", ["", "[]", "[" * 100_000, '{"a":' * 5_000, '{"a": 1}', "\x00\x1b", "7"]
)
@pytest.mark.parametrize("use", [load, train])
def test_files_that_are_damaged(name, content, use, folder):
    (folder / name).write_text(content)
    assert refused(folder, use) or content == '{"a": 1}'


def safetensors(header, size=None, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + body


TENSOR = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        safetensors(b"{}", 2**63),
        safetensors(b"{}", 10**9),
        safetensors(b"[" * 100_000),
        safetensors({EVIL: TENSOR}, body=bytes(8)),
        safetensors({"a": TENSOR | {"data_offsets": [0, 2**60]}}),
        safetensors({"a": TENSOR | {"data_offsets": [8, 0]}}, body=bytes(8)),
        safetensors({"a": TENSOR | {"shape": [2**62, 2**62]}}, body=bytes(8)),
        safetensors({"a": TENSOR | {"dtype": EVIL}}, body=bytes(8)),
        safetensors({"__metadata__": {EVIL: EVIL}, "a": TENSOR}, body=bytes(8)),
    ],
    ids=range(10),
)
def test_hostile_safetensors(content, folder):
    [file] = folder.glob("*.safetensors")
    file.write_bytes(content)
    assert refused(folder)


def test_sparse_files_of_3_gb(folder, tmp_path):
    [file] = folder.glob("*.safetensors")
    with file.open("r+b") as sparse:
        sparse.truncate(3 * 2**30)
    with pytest.raises(rlve.UserError, match="cannot load the model"):
        load(folder)
    with (tmp_path / "large.gguf").open("wb") as sparse:
        sparse.write(struct.pack("<4sIQQ", b"GGUF", 3, 1, 1))
        sparse.truncate(3 * 2**30)
    with pytest.raises(rlve.UserError, match="cannot load the model"):
        load(tmp_path / "large.gguf")


def test_gguf_files_with_hostile_places(tmp_path):
    """Each eight bytes of the beginning in turn, as a huge count, length or offset."""
    good = write_gguf(tmp_path / "good.gguf", tiny_llama(), template=EVIL).read_bytes()
    bad = tmp_path / "bad.gguf"
    loaded = 0
    for place in range(8, 200, 8):
        for value in (2**64 - 1, 10**12):
            bad.write_bytes(good[:place] + struct.pack("<Q", value) + good[place + 8 :])
            loaded += not refused(bad)
    assert loaded < 12  # where the name of something is


@pytest.mark.parametrize("claimed", [3, 64, 127, 2**31, 2**32 - 1])
def test_gguf_files_that_claim_more_blocks_than_they_hold(claimed, tmp_path, monkeypatch):
    """transformers would take minutes for 127 blocks, and so is not asked."""
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", None)
    path = write_gguf(tmp_path / "bad.gguf", tiny_llama())
    data = path.read_bytes()
    place = data.index(b"llama.block_count") + 21
    path.write_bytes(data[:place] + struct.pack("<I", claimed) + data[place + 4 :])
    with pytest.raises(rlve.UserError, match=f"is {claimed:,}, but its tensors are of 2 blocks"):
        load(path)
