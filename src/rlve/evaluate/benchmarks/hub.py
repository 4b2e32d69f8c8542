"""Files of data sets on the Hugging Face hub."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rlve.errors import UserError


def download(
    dataset: str, files: Sequence[str], *, revision: str | None, title: str, advice: str
) -> list[Path]:
    """Files of a data set; a UserError ends with advice on how to do without the hub."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise UserError(
            f"downloading {title} needs huggingface_hub: pip install 'rlve[eval]'. {advice}"
        ) from None
    try:
        return [
            Path(
                hf_hub_download(
                    repo_id=dataset, filename=name, repo_type="dataset", revision=revision
                )
            )
            for name in files
        ]
    except (OSError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{dataset} cannot be downloaded ({reason}). {advice}") from None


def provenance(dataset: str, paths: Iterable[Path]) -> list[str]:
    """The commit of a data set's files, which the hub's cache keeps in snapshots/COMMIT."""
    commits = {
        parts[parts.index("snapshots") + 1]
        for path in paths
        if "snapshots" in (parts := path.parts[:-1])
    }
    return [
        f"from {dataset} on the Hugging Face hub, revision {commit}" for commit in sorted(commits)
    ]
