"""What is installed, and what is loaded: bounded, pinned, and never a program of others."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

# Both ends of their sockets and files are this program.
MAY_PICKLE = {
    "pool/local_dispatcher.py",
    "pool/process.py",
    "pool/worker.py",
    "pool/ray.py",
}


def requirements():
    yield from PROJECT["dependencies"]
    for extra in PROJECT["optional-dependencies"].values():
        yield from extra


def name_of(requirement):
    name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_an_upper_bound():
    for requirement in requirements():
        if name_of(requirement) != "rlve":
            assert re.search(r"<|==", requirement), f"{requirement} can be anything to come"


def locked(file="requirements.txt"):
    """The packages of such a file, with their hashes."""
    text = (ROOT / file).read_text()
    blocks = re.split(r"\n(?=[^\s#])", "\n" + re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return {
        name_of(block): re.findall(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks[1:]
    }


def asked_for(extra):
    """The packages that an extra names."""
    wanted, extras = {*PROJECT["dependencies"]}, [extra]
    while extras:
        for requirement in PROJECT["optional-dependencies"][extras.pop()]:
            if name_of(requirement) == "rlve":
                extras += requirement[requirement.index("[") + 1 : -1].split(",")
            else:
                wanted.add(requirement)
    return {name_of(each) for each in wanted} - {"torch"}


def test_what_is_installed_has_hashes():
    found = locked()
    assert len(found) > 80
    assert all(found.values())
    missing = asked_for("dev") - {*found}
    assert not missing, f"`make requirements` adds {', '.join(sorted(missing))}"
    assert "torch==" in (ROOT / "constraints.txt").read_text()


def test_training_installs_no_more_than_it_needs():
    found, everything = locked("requirements-train.txt"), locked()
    assert {*found} >= asked_for("train")
    assert all(everything[name] == hashes for name, hashes in found.items())
    heavy = {"basedpyright", "playwright", "zensical", "pytest", "ruff", "fastapi", "pyarrow"}
    assert {*everything} >= heavy
    assert not heavy & {*found}
    rules = (ROOT / "Makefile").read_text()
    assert "\ntrain: $(VENV)/train\n" in rules
    assert "-e '.[train]'\n" in rules


def calls(source):
    """Every call in a file: its name, and its keywords (None is `**options`)."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), {word.arg: word.value for word in node.keywords}


def test_models_are_loaded_without_the_code_that_may_come_with_them():
    for source in with_text(r"from_pretrained|torch\.load|trust_remote_code"):
        assert not re.search(r"trust_remote_code['\"]?\s*[:=]\s*True", source.read_text()), source
        for name, keywords in calls(source):
            if name.endswith(".from_pretrained"):
                said = keywords.get("trust_remote_code")
                assert None in keywords or (said and ast.unparse(said) == "False"), source
            if name == "torch.load":
                assert ast.unparse(keywords["weights_only"]) == "True", source


def test_nothing_is_unpickled_but_what_this_program_has_pickled():
    for source in with_text(r"pickle|yaml"):
        names = {name for name, _ in calls(source)}
        assert not names & {"yaml.load", "yaml.unsafe_load", "yaml.full_load"}, source
        if names & {"pickle.load", "pickle.loads", "pickle.Unpickler"}:
            assert str(source.relative_to(ROOT / "src" / "rlve")) in MAY_PICKLE


def with_text(pattern):
    return [source for source in SOURCES if re.search(pattern, source.read_text())]


def test_a_model_that_brings_code_along_is_refused_and_its_code_not_run(tmp_path):
    pytest.importorskip("torch", reason="models need rlve[train]")
    from rlve.errors import UserError
    from rlve.models.config import PolicyConfig
    from rlve.models.policy import load_policy
    from support.tiny import save_tiny_policy

    model = save_tiny_policy(tmp_path / "model")
    mark = tmp_path / "run"
    (model / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Config: ...\n")
    config = json.loads((model / "config.json").read_text()) | {"model_type": "evil"}
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    (model / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match="cannot load the model"):
        load_policy(PolicyConfig(model=str(model), format="plain", device="cpu"), context=0)
    assert not mark.exists()
