"""Questions as LiveCodeBench publishes them, and programs that pass and fail their tests."""

import base64
import json
import pickle  # noqa: TID251  to make what must not be loaded
import zlib
from typing import Any

from rlve.judges.programs import CodeProblem


def packed(tests: list[dict[str, str]], protocol: int | None = None) -> str:
    """Tests as the benchmark publishes private ones."""
    text = pickle.dumps(json.dumps(tests), protocol)
    return base64.b64encode(zlib.compress(text)).decode("ascii")


def row(kind: str, tests: list[tuple[str, str]], **columns: str) -> dict[str, Any]:
    """A line of the published data, whose first test is public."""
    cases = [{"input": i, "output": o, "testtype": kind} for i, o in tests]
    return {
        "question_title": "A. Sum",
        "question_content": "Print the sum of two numbers.",
        "platform": "codeforces",
        "question_id": "1_A",
        "contest_id": "1",
        "contest_date": "2025-01-04T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": json.dumps(cases[:1]),
        "private_test_cases": packed(cases[1:]),
        "metadata": "{}",
    } | columns


STDIN = row("stdin", [("1 2\n", "3\n"), ("-5 5", "0"), (f"{10**30} 1", f"{10**30 + 1}\n")])
CALLS = row(
    "functional",
    [("[1, 2]\n3", "[4, 5]"), ("[]\n1", "[]"), ("[0]\n-1", "[-1]")],
    question_id="3000",
    question_content="Add k to every number.",
    platform="leetcode",
    starter_code="class Solution:\n    def addAll(self, nums: List[int], k: int) -> List[int]:\n",
    metadata='{"func_name": "addAll"}',
)


def problem(columns: dict[str, Any]) -> CodeProblem:
    return CodeProblem.from_parameters(columns)


def block(program: str) -> str:
    return f"Some thoughts.\n\n```python\n{program}\n```\n"


RIGHT = [
    "a, b = map(int, input().split())\nprint(a + b)",
    "import sys\nprint(sum(map(int, sys.stdin.read().split())))",
    "from __future__ import annotations\nprint(sum(map(int, open(0).read().split())))",
    "def main():\n    print(sum(map(int, input().split())))\n"
    "if __name__ == '__main__':\n    main()",
    "print(sum(map(int, stdin.readline().split())))",  # the benchmark imports the usual names
    "print(reduce(lambda a, b: a + b, map(int, input().split())))",
    "print(sum(map(int, input().split())))\nsys.exit(0)",
    "from threading import Thread\n"
    "Thread(target=lambda: print(sum(map(int, input().split())))).start()",
]
WRONG = [
    "a, b = map(int, input().split())\nprint(a - b)",
    "print(3)",  # passes the public test
    "print(0 if input() == '-5 5' else 3)",
    "a, b = map(float, input().split())\nprint(int(a + b))",
    "print(sum(map(int, input().split())))\nraise SystemError",
    "print(sum(map(int, input().split())))\nimport os\nos._exit(3)",
    "print('debug')\nprint(sum(map(int, input().split())))",
    "def",
    "x = '\0'",
    "x = '\udc80'\nprint(sum(map(int, input().split())))\nprint(x)",
    "",
    "pass",
]

RIGHT_CALLS = [
    "class Solution:\n    def addAll(self, nums, k):\n        return [x + k for x in nums]",
    "class Solution:\n    def addAll(self, nums: List[int], k: int) -> List[int]:\n"
    "        print('a word'); return tuple(x + k for x in nums)",
    "def addAll(nums, k):\n    return [float(x + k) for x in nums]",
    "class Solution:\n    def addAll(self, nums, k):\n        return [x + k for x in nums]\n"
    "if __name__ == '__main__':\n    1 / 0",
]
WRONG_CALLS = [
    "class Solution:\n    def addAll(self, nums, k):\n        return nums",
    "class Solution:\n    def other(self, nums, k):\n        return [x + k for x in nums]",
    "class Solution:\n    def addAll(self, nums):\n        return nums",
    "class Solution:\n    def addAll(self, nums, k):\n        return {x + k for x in nums}",
    "class Solution:\n    def addAll(self, nums, k):\n        return self",
    "def addAll(nums, k):\n    return iter(nums)",
    "class Solution: pass",
]
