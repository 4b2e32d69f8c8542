"""`rlve serve`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.errors import require
from rlve.pool import Pool
from rlve.targets import find


def run(
    own: Annotated[
        Positional[tuple[str, ...]], arg(metavar="[TARGET ...]", help_behavior_hint="")
    ] = (),
    /,
    *,
    host: Annotated[str, arg(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, arg(metavar="INT")] = 8000,
    token_file: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None,
    workers: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: one per core)")
    ] = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    batch: Annotated[int, arg(metavar="INT")] = 4096,
    body: Annotated[int, arg(metavar="MIB")] = 32,
    concurrency: Annotated[int, arg(metavar="INT")] = 64,
    sessions: Annotated[int, arg(metavar="INT")] = 64,
) -> None:
    """Serve the gym over HTTP, to trainers that are not Python or not on this machine.

    Problems, verdicts and curricula, as JSON; the page at / shows how. Ctrl-C ends it when the
    requests under way are answered. Wherever others can reach it, it wants a token, which is read
    from the variable RLVE_TOKEN or from a file.

    Args:
        own: Environments of your own to serve beside the gym's: MODULE:CLASS or FILE.py:CLASS.
        host: The address to listen at; 0.0.0.0 is every one.
        port: The port to listen at; 0 is any that is free.
        token_file: A file with the token that clients have to send.
        workers: How many processes generate and judge.
        deadline: Seconds after which a problem or a verdict is given up.
        batch: Problems or outputs that one request may have.
        body: Mebibytes that one request may have.
        concurrency: Requests that are worked on at once; the next is asked to come back.
        sessions: Curricula that are kept at once.
    """
    require("fastapi", extra="studio", at_least="0.115", what="rlve serve")
    from rlve.server.guard import Limits
    from rlve.server.listening import address, listen, open_socket, token_for
    from rlve.server.service import create_service

    token = token_for(host, token_file)
    for target in own:
        find(target)
    limits = Limits(body=body * 2**20, batch=batch, concurrency=concurrency, sessions=sessions)
    with open_socket(host, port) as listener, Pool(workers, deadline=deadline) as pool:
        wanted = ", with its token" if token else ""
        listen(
            create_service(pool, limits=limits, token=token),
            listener,
            lambda: print(
                f"The gym is at {address(listener)}{wanted}. Ctrl-C ends it.", flush=True
            ),
        )
    print("The gym is closed.")
