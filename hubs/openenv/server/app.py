"""RLVE-Gym as a space of OpenEnv's hub; see docs/trainers/openenv.md."""

import uvicorn

from rlve.integrations.openenv import create_app

app = create_app()


def main() -> None:
    """Serve on all addresses, as a container does."""
    uvicorn.run(app, host="0.0.0.0", port=8000)  # noqa: S104


if __name__ == "__main__":
    main()
