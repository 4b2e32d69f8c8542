"""The gym as tools of the Model Context Protocol, for assistants: `rlve serve --mcp`.

    list       which environments there are
    generate   a problem, by environment, difficulty and seed
    verify     the verdict on an answer
    explain    the same, with the reason

A problem is named by its environment, difficulty and seed, so the server remembers nothing.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from rlve import __version__
from rlve.errors import UserError
from rlve.pool import Failure, Pool
from rlve.registry import entry, environments
from rlve.server import problems, wire

INSTRUCTIONS = (
    "RLVE-Gym: environments that generate problems of any difficulty and verify answers by "
    "program. list shows the environments, generate makes a problem, verify and explain judge an "
    "output, which marks its answer as <answer>...</answer> or \\boxed{...}."
)

Name = Annotated[str, Field(description="the name of an environment, as in list")]
Difficulty = Annotated[int, Field(ge=0, description="0 is the easiest")]
Seed = Annotated[int, Field(ge=0, description="another seed gives another problem")]
Output = Annotated[
    str, Field(description="the whole output, with its answer in <answer></answer> or \\boxed{}")
]
Reading = Annotated[
    Literal["exact", "forgiving"], Field(description="how strictly the form is taken")
]

READ_ONLY = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)


def create_server(pool: Pool) -> Any:
    """A server whose tools use this pool."""
    server = MCPServer("rlve", instructions=INSTRUCTIONS, version=__version__)
    tools = Tools(pool)
    for name, tool in (
        ("list", tools.environments),
        ("generate", tools.generate),
        ("verify", tools.verify),
        ("explain", tools.explain),
    ):
        server.tool(name, annotations=READ_ONLY)(tool)
    return server


class Tools:
    """What the tools do; the docstrings are what assistants read."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.verify = self._judging(
            "The verdict on an output: its reward from -1 to 1, and whether it is correct.",
            explain=False,
        )
        self.explain = self._judging(
            "The verdict on an output, what was read as its answer, and why it is right or wrong.",
            explain=True,
        )

    def environments(
        self,
        words: Annotated[str, Field(description="only those with all of these words")] = "",
        family: Annotated[str, Field(description="only those of this family")] = "",
    ) -> list[dict[str, Any]]:
        """The environments: name, family, highest difficulty (null: none) and task."""
        return [
            {
                "name": each.name,
                "family": each.family,
                "max_difficulty": each.max_difficulty,
                "task": each.task,
            }
            for each in map(entry, environments())
            if family in ("", each.family)
            and all(word in f"{each.name}\n{each.task}".lower() for word in words.lower().split())
        ]

    def generate(
        self,
        environment: Name,
        difficulty: Difficulty = 0,
        seed: Seed = 0,
        reference: Annotated[bool, Field(description="whether to give a correct answer")] = False,
    ) -> dict[str, Any]:
        """A problem: what a model reads. Environment, difficulty and seed name it from then on."""
        try:
            wanted = wire.Wanted(environment=environment, difficulty=difficulty, seed=seed)
            request = wire.Generate(requests=[wanted], reference=reference)
            [made] = problems.generate(self._pool, request, most=1)
        except (UserError, ValidationError) as error:
            raise ToolError(str(error)) from error
        if made.failure is not None:
            raise ToolError(f"the problem cannot be made: {made.failure.message}")
        return made.model_dump(exclude_none=True)

    def _judging(self, meaning: str, *, explain: bool) -> Callable[..., dict[str, Any]]:
        def judge(
            environment: Name,
            difficulty: Difficulty,
            seed: Seed,
            output: Output,
            reading: Reading = "exact",
        ) -> dict[str, Any]:
            try:
                answered = wire.Answered(
                    environment=environment, difficulty=difficulty, seed=seed, output=output
                )
                wanted = wire.Verify(items=[answered], reading=reading)
                [verdict] = problems.verify(self._pool, wanted, explain=explain)
            except (UserError, ValidationError) as error:
                raise ToolError(str(error)) from error
            if isinstance(verdict, Failure):
                raise ToolError(f"there is no verdict: {verdict.message}")
            return msgspec.to_builtins(verdict)

        judge.__doc__ = meaning
        return judge
