"""How to use a trained model: the format of its prompts, and code that samples from it."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rlve.catalogue import CATALOGUE
from rlve.collections import collection, is_collection
from rlve.registry import environment
from rlve.train.config import Config
from rlve.train.export import TrainedModel

PROBLEM: Final = "{problem}"
WIDTH: Final = 88  # of a line of code
READ_FROM: Final = {
    "boxed": r"the last `\boxed{}`",
    "answer": "the last `<answer></answer>`",
    "any": r"the last `<answer></answer>` or `\boxed{}`",
}


def usage(trained: TrainedModel, *, adapter: bool) -> list[str]:
    """Paragraphs of Markdown; the code runs unchanged in the model's folder."""
    form = trained.form
    parts = [
        f"Its prompts in training had this format, and answers were read from "
        f"{READ_FROM[form.marker]}:",
        _fenced("text", _template(trained)),
    ]
    name = _example(trained)
    problem = "What is 17 + 25?"
    if name is not None:
        problem = environment(name).generate(difficulty=0, seed=0).prompt()
    parts.append(_fenced("python", _code(trained, problem, adapter=adapter)))
    if name is not None:
        parts.append(
            f'The problem comes from `rlve.environment("{name}").generate(difficulty=0, seed=0)`; '
            f'its method `verify(output, marker="{form.marker}")` judges the output.'
        )
    if not adapter:
        parts.append(
            f"vLLM serves the folder as it is: `vllm serve FOLDER`. `{_evaluation(trained)}` "
            "evaluates the model on the paper's test set."
        )
    return parts


def _evaluation(trained: TrainedModel) -> str:
    """The command that asks the model as in training."""
    policy = trained.config.policy
    words = ["rlve", "eval", "--model", "FOLDER", "--format", trained.form.name]
    if policy.system_prompt:
        words += ["--system-prompt", policy.system_prompt]
    if policy.template_arguments:
        words += ["--template-arguments", *policy.template_arguments]
    if policy.stop_strings:
        words += ["--stop-strings", *policy.stop_strings]
    return shlex.join([*words, "--suite", "held-out"])


def _example(trained: TrainedModel) -> str | None:
    """An environment of RLVE-Gym that it was trained on, if there is one."""
    config = trained.config
    if isinstance(config, Config):
        wanted = () if config.data.dataset is not None else config.data.environments
        without = ()
    else:
        wanted, without = config.data.environments, config.data.without
    excluded = set(_in_catalogue(without))
    found = (name for name in _in_catalogue(wanted) if name not in excluded)
    return next((name for name in found if not environment(name).marked), None)


def _in_catalogue(names: Iterable[str]) -> Iterator[str]:
    """The environments of RLVE-Gym among them; no code is loaded that the settings name."""
    for name in names:
        if is_collection(name):
            yield from collection(name)
        elif name in CATALOGUE:
            yield name


def _template(trained: TrainedModel) -> str:
    """The model's prompt, with a placeholder for the problem."""
    prompt = trained.form.wrap(PROBLEM)
    if isinstance(prompt, str):
        return prompt
    system = trained.config.policy.system_prompt
    turns = [("system", system)] if system else []
    turns += [(turn["role"], turn["content"]) for turn in prompt]
    return "\n\n".join(f"[{role}]\n{content}" for role, content in turns)


def _code(trained: TrainedModel, problem: str, *, adapter: bool) -> str:
    if adapter:
        loaders, model = "from peft import AutoPeftModelForCausalLM\n", "AutoPeftModelForCausalLM"
        loaders += "from transformers import AutoTokenizer"
    else:
        loaders = "from transformers import AutoModelForCausalLM, AutoTokenizer"
        model = "AutoModelForCausalLM"
    given = "**inputs"
    if trained.config.policy.stop_strings:  # which generate() looks for in the text
        given += ", tokenizer=tokenizer"
    lines = [
        loaders,
        "",
        'place = "."  # this folder, or its name on the hub',
        "tokenizer = AutoTokenizer.from_pretrained(place)",
        f"model = {model}.from_pretrained(place)",
        "",
        f"problem = {_lines(problem)}",
        *_prompt(trained),
        *_call("outputs = model.generate", given, _sampling(trained, adapter=adapter)),
        'begin = inputs["input_ids"].shape[1]',
        "output = tokenizer.decode(outputs[0, begin:], skip_special_tokens=True)",
        "print(output)",
    ]
    return "\n".join(lines)


def _prompt(trained: TrainedModel) -> Iterable[str]:
    """The lines that turn `problem` into `inputs`."""
    prompt = trained.form.wrap(PROBLEM)
    if isinstance(prompt, str):
        yield f"prompt = {_around(prompt)}"
        yield 'inputs = tokenizer(prompt, return_tensors="pt")'
        return
    yield "messages = ["
    if system := trained.config.policy.system_prompt:
        yield f'    {{"role": "system", "content": {_literal(system)}}},'
    for turn in prompt:
        yield f'    {{"role": "{turn["role"]}", "content": {_around(turn["content"])}}},'
    yield "]"
    options = {"add_generation_prompt": True, "return_dict": True, "return_tensors": "pt"}
    options |= trained.config.policy.template_options()
    yield from _call("inputs = tokenizer.apply_chat_template", "messages", options)


def _sampling(trained: TrainedModel, *, adapter: bool) -> Mapping[str, object]:
    """The settings that the folder's own leave open; adapters have none."""
    options: dict[str, object] = {"max_new_tokens": trained.max_tokens}
    if adapter and trained.temperature > 0:
        top_p = trained.top_p(trained.temperature)
        options |= {"do_sample": True, "temperature": trained.temperature, "top_p": top_p}
        options["top_k"] = 0
    if stop_strings := trained.config.policy.stop_strings:
        options["stop_strings"] = list(stop_strings)
    return options


def _call(what: str, first: str, options: Mapping[str, object]) -> Iterable[str]:
    """A call in one line if it fits, otherwise with a line per argument."""
    arguments = [first, *(f"{name}={_literal(value)}" for name, value in options.items())]
    line = f"{what}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{what}("
    yield from (f"    {argument}," for argument in arguments)
    yield ")"


def _around(text: str) -> str:
    """An expression for a text that contains the problem."""
    before, mark, after = text.partition(PROBLEM)
    parts = (
        _literal(before) if before else "",
        mark and "problem",
        _literal(after) if after else "",
    )
    return " + ".join(filter(None, parts))


def _literal(value: object) -> str:
    """A value in Python, texts in double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(map(_literal, value))}]"  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return repr(value)


def _lines(text: str) -> str:
    """A long text in Python, line by line."""
    lines = "\n".join(f"    {_literal(line)}" for line in text.splitlines(keepends=True))
    return f"(\n{lines}\n)"


def _fenced(language: str, text: str) -> str:
    """A block of code, in a fence that the text does not end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
