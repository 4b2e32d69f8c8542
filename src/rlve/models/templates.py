"""Chat templates, which are programs that come with a model."""

import contextlib
import os
import resource
import select
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlve.errors import UserError

SECONDS = 10.0  # allowed for writing two short conversations
MEMORY = 2 * 2**30  # bytes

SAID = "Understood7"  # a text that no template has
QUESTION = 5 * "Sort these numbers: 40 7 31 2 19. Put the answer in \\boxed{}, as \\boxed{2 7}.\n"
ASKED = [{"role": "user", "content": QUESTION}]
ANSWERED = [*ASKED, {"role": "assistant", "content": SAID}]


def render(tokenizer: Any, chats: Any, **options: Any) -> Any:
    """One conversation, or many, as the template writes it, in tokens or as text."""
    try:
        return tokenizer.apply_chat_template(chats, return_dict=False, **options)
    except Exception as error:  # a template can raise anything
        why = str(error) or type(error).__name__
        raise UserError(
            f"the chat template of {tokenizer.name_or_path} cannot write a conversation: {why}"
        ) from error


def check_template(tokenizer: Any, arguments: Mapping[str, object]) -> None:
    """Refuse a template that does not end, or takes all memory.

    A child tries it, as nothing in this process could stop a computation such as 9**9**9.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.write(writer, _try(tokenizer, arguments))
        os._exit(0)
    os.close(writer)
    try:
        ended = select.select([reader], [], [], SECONDS)[0]
        if not ended or os.read(reader, 1) != b"+":
            trouble = "takes too much memory" if ended else f"has not ended after {SECONDS:g} s"
            raise UserError(f"the chat template of {tokenizer.name_or_path} {trouble}")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)


def _try(tokenizer: Any, arguments: Mapping[str, object]) -> bytes:
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    for chat, prompts in ((ASKED, True), (ANSWERED, False)):
        try:
            render(tokenizer, chat, tokenize=False, add_generation_prompt=prompts, **arguments)
        except UserError as error:  # said when it is used
            if isinstance(error.__cause__, MemoryError):
                return b"-"
    return b"+"
