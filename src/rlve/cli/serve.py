"""`rlve serve`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.cli._options import Flag, Workers, metavar
from rlve.errors import require
from rlve.foundation.limits import check_limits
from rlve.pool import Pool
from rlve.reports.terminal import echo
from rlve.targets import find


def run(
    own: Annotated[Positional[tuple[str, ...]], metavar("[TARGET ...]")] = (),
    /,
    *,
    host: Annotated[str, arg(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, arg(metavar="INT")] = 8000,
    token_file: Annotated[Path | None, metavar("FILE")] = None,
    workers: Workers = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    batch: Annotated[int, arg(metavar="INT")] = 4096,
    body: Annotated[int, arg(metavar="MIB")] = 32,
    concurrency: Annotated[int, arg(metavar="INT")] = 64,
    mcp: Flag = False,
) -> None:
    """Serve the gym over HTTP to trainers in other languages or on other machines.

    It serves problems and verdicts as JSON; the page at / explains how. It remembers nothing, so
    the trainer keeps the curriculum. Ctrl-C stops the server once the requests in progress have
    been answered. If other machines can reach it, it requires a token, which is read from the
    variable RLVE_TOKEN or from a file.

    With --mcp, it speaks the Model Context Protocol on stdin and stdout instead, to an assistant
    that has started it: the tools list, generate, verify and explain.

    Args:
        own: Your own environments to serve as well: MODULE:CLASS or FILE.py:CLASS.
        host: The address to listen on; 0.0.0.0 means all addresses.
        port: The port to listen on; 0 means any free port.
        token_file: A file that holds the token that clients must send.
        workers: Processes that generate problems and judge outputs.
        deadline: Seconds allowed for a problem or a verdict.
        batch: The most problems or outputs in one request.
        body: The largest request, in mebibytes.
        concurrency: Requests to handle at the same time; others are told to try again.
        mcp: Serve tools to an assistant instead, on stdin and stdout.
    """
    if mcp:
        _serve_tools(own, workers, deadline)
        return
    require("fastapi", extra="studio", at_least="0.115", what="rlve serve")
    from rlve.server.guard import Limits
    from rlve.server.listener import address, listen, open_socket, token_for
    from rlve.server.service import create_service

    limits = Limits(body=body, batch=batch, concurrency=concurrency)
    check_limits("--", limits)
    limits = replace(limits, body=body * 2**20)
    token = token_for(host, token_file)
    for target in own:
        find(target)
    with open_socket(host, port) as listener, Pool(workers, deadline=deadline) as pool:
        secured = ", with its token" if token else ""
        listen(
            create_service(pool, limits=limits, token=token),
            listener,
            lambda: echo(f"The gym is at {address(listener)}{secured}. Ctrl-C stops it."),
        )
    echo("The gym is closed.")


def _serve_tools(own: tuple[str, ...], workers: int | None, deadline: float) -> None:
    require("mcp", extra="mcp", at_least="2.3", below="3", what="rlve serve --mcp")
    from rlve.server.mcp import create_server

    for target in own:
        find(target)
    with Pool(workers, deadline=deadline) as pool:
        create_server(pool).run("stdio")
