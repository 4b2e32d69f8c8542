"""`rlve studio`."""

import threading
import webbrowser
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.cli._options import Flag, Load, Workers, metavar
from rlve.errors import UserError, require
from rlve.pool import Pool
from rlve.reports.terminal import echo
from rlve.targets import load_code

FOLDERS = ("runs", "evals")  # where rlve train and rlve eval write


def run(
    folders: Annotated[Positional[tuple[Path, ...]], metavar("[FOLDER ...]")] = (),
    /,
    *,
    port: Annotated[int, arg(metavar="INT")] = 7860,
    no_browser: Flag = False,
    load: Load = (),
    workers: Workers = None,
) -> None:
    """Look at environments, training runs, rollouts and evaluations in a browser.

    Problems are made and answers judged live, and runs can be followed as they train. Only this
    machine can open it; from another, forward the port: ssh -L 7860:localhost:7860 HOST.

    Args:
        folders: Folders of runs and evaluations, or folders that contain them; ./runs and ./evals
            by default.
        port: The port to listen on; 0 means any free port.
        no_browser: Do not open a browser.
        load: Your own file or module; its environments are shown with the others.
        workers: Processes that make problems and judge answers.
    """
    require("fastapi", extra="studio", at_least="0.115", what="rlve studio")
    from rlve.server.listener import address, listen, open_socket
    from rlve.server.studio.app import create_studio
    from rlve.server.studio.folders import Folders
    from rlve.server.studio.views import Studio

    load_code(*load)
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}")
    given = folders or tuple(Path(name) for name in FOLDERS)
    with Pool(workers) as pool, open_socket("127.0.0.1", port) as listener:
        studio = Studio(Folders(given), pool, [f"{folder}/" for folder in given])

        def ready() -> None:
            place = address(listener)
            echo(f"The studio is at {place}. Ctrl-C stops it.")
            if not no_browser:
                # In a thread of its own, because some browsers block until they are closed.
                threading.Thread(target=webbrowser.open, args=[place], daemon=True).start()

        listen(create_studio(studio), listener, ready)
