"""What the tools for assistants say; `make test-mcp` talks to them through the official client."""

import importlib.util
import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

import rlve


@pytest.fixture
def tools(pool, monkeypatch):
    """The tools, with a stand-in for the SDK where it is not installed."""
    if importlib.util.find_spec("mcp") is None:
        parts = {
            "mcp": {},
            "mcp.server": {"MCPServer": SimpleNamespace},
            "mcp.server.mcpserver": {},
            "mcp.server.mcpserver.exceptions": {"ToolError": ValueError},
            "mcp.types": {"ToolAnnotations": SimpleNamespace},
        }
        for name, content in parts.items():
            module = ModuleType(name)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.delitem(sys.modules, "rlve.server.mcp", raising=False)
    from rlve.server.mcp import Tools

    yield Tools(pool)
    sys.modules.pop("rlve.server.mcp", None)


@pytest.mark.parametrize("name", ["GuessNumber", "Sorting", "Sudoku"])
def test_a_problem_comes_without_its_stored_answer(tools, name):
    problem = rlve.environment(name).generate(difficulty=1, seed=4)
    which = {"environment": name, "difficulty": 1, "seed": 4}
    made = tools.generate(**which)
    turns = {"turns": problem.turns} if name == "GuessNumber" else {}
    assert made == {**which, "prompt": problem.prompt(), **turns}
    assert "secret" not in json.dumps(made)


def test_what_it_names_is_what_is_judged(tools):
    problem = rlve.environment("Sorting").generate(difficulty=1, seed=4)
    which = {"environment": "Sorting", "difficulty": 1, "seed": 4}
    right = f"<answer>{problem.reference()}</answer>"
    assert tools.generate(**which, reference=True)["reference"] == problem.reference()
    assert tools.verify(**which, output=right)["correct"]
    assert tools.explain(**which, output="nothing")["reason"] == problem.explain("nothing").reason
