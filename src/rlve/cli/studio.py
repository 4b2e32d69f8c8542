"""`rlve studio`."""

import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from rlve.cli._options import Flag, Load, Workers, metavar
from rlve.errors import UserError, require
from rlve.pool import Pool
from rlve.reports.terminal import echo, progress_bar
from rlve.targets import load_code

if TYPE_CHECKING:
    from rlve.server.studio.views import Studio

USUAL = ("runs", "evals")  # where rlve train and rlve eval write


def run(
    folders: Annotated[Positional[tuple[Path, ...]], metavar("[FOLDER ...]")] = (),
    /,
    *,
    port: Annotated[int, arg(metavar="INT")] = 7860,
    no_browser: Flag = False,
    export: Annotated[Path | None, metavar("FOLDER")] = None,
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
        export: Write a static site for any web server to this folder instead.
        load: Your own file or module; its environments are shown with the others.
        workers: Processes that make problems and judge answers.
    """
    require("fastapi", extra="studio", at_least="0.115", what="rlve studio")
    from rlve.server.studio.folders import Folders
    from rlve.server.studio.views import Studio

    load_code(*load)
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}")
    given = folders or tuple(Path(name) for name in USUAL)
    with Pool(workers) as pool:
        studio = Studio(Folders(given), pool, [f"{folder}/" for folder in given])
        if export is not None:
            _export(studio, export)
        else:
            _serve(studio, port, no_browser)


def _serve(studio: "Studio", port: int, no_browser: bool) -> None:
    from rlve.server.listener import address, listen, open_socket
    from rlve.server.studio.app import create_studio

    with open_socket("127.0.0.1", port) as listener:

        def ready() -> None:
            place = address(listener)
            echo(f"The studio is at {place}. Ctrl-C stops it.")
            if not no_browser:
                # In a thread of its own, because some browsers block until they are closed.
                threading.Thread(target=webbrowser.open, args=[place], daemon=True).start()

        listen(create_studio(studio), listener, ready)


def _export(studio: "Studio", folder: Path) -> None:
    from rlve.server.studio.export import export

    with progress_bar("environments") as bar:
        task = bar.add_task("", total=None)
        pages = export(
            studio,
            folder,
            tell=lambda what, done, total: bar.update(task, completed=done, total=total),
        )
    echo(f"Wrote {pages:,} pages to {folder}")
