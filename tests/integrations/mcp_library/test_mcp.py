"""The tools of `rlve serve --mcp`, through the official client: `make test-mcp`."""

import asyncio
import json
import sys

import pytest

pytest.importorskip("mcp", reason="needs rlve[mcp]; run make test-mcp")

from mcp import Client, StdioServerParameters

import rlve

SERVER = StdioServerParameters(
    command=sys.executable, args=["-m", "rlve", "serve", "--mcp", "--workers", "1"]
)


def content(result):
    assert not result.is_error, result
    found = result.structured_content
    return found["result"] if set(found) == {"result"} else found


async def talk():
    problem = rlve.environment("Sorting").generate(difficulty=2, seed=7)
    which = {"environment": "Sorting", "difficulty": 2, "seed": 7}
    async with Client(SERVER) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list", "generate", "verify", "explain"}
        assert all(tool.description for tool in tools.values())

        everything = content(await client.call_tool("list", {}))
        assert [each["name"] for each in everything] == rlve.environments()
        few = content(await client.call_tool("list", {"words": "sort", "family": "arrays"}))
        assert 0 < len(few) < len(everything)
        assert {each["family"] for each in few} == {"arrays"}

        made = content(await client.call_tool("generate", which))
        assert made == {**which, "prompt": problem.prompt()}
        made = content(await client.call_tool("generate", {**which, "reference": True}))
        assert made["reference"] == problem.reference()

        output = f"<answer>{problem.reference()}</answer>"
        verdict = content(await client.call_tool("verify", {**which, "output": output}))
        assert verdict == {"reward": 1.0, "correct": True, "well_formed": True}
        fenced = {**which, "output": f"<answer>```\n{problem.reference()}\n```</answer>"}
        assert not content(await client.call_tool("verify", fenced))["correct"]
        forgiving = content(await client.call_tool("verify", {**fenced, "reading": "forgiving"}))
        assert forgiving["correct"]
        reason = content(await client.call_tool("explain", fenced))
        assert "not in the output format" in reason["reason"]
        assert json.dumps(reason)

        for arguments in ({"environment": "Sortin"}, {"environment": "Sorting", "difficulty": -1}):
            assert (await client.call_tool("generate", arguments)).is_error
        unknown = await client.call_tool("generate", {"environment": "Sortin"})
        assert "Sorting" in unknown.content[0].text


def test_a_client_lists_generates_verifies_and_asks_why():
    asyncio.run(talk())
