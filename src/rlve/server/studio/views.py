"""The pages as HTML. app.py serves them, saved.py writes some of them to files."""

from rlve.server.studio.environment_pages import EnvironmentPages
from rlve.server.studio.evaluation_pages import EvaluationPages
from rlve.server.studio.frontier_pages import FrontierPages
from rlve.server.studio.run_pages import RunPages
from rlve.server.studio.state import Studio

__all__ = ["Pages", "Studio"]


class Pages(EnvironmentPages, RunPages, EvaluationPages, FrontierPages):
    """All pages."""
