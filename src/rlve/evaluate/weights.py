"""Telling whether the weights of a model are those that were evaluated before."""

from hashlib import blake2b
from pathlib import Path

from rlve.foundation.files import open_regular
from rlve.models.config import PolicyConfig
from rlve.models.locations import is_gguf, place_of

PIECE, PIECES = 2**12, 2**12  # bytes in a piece; pieces to read of a model, at most


def fingerprint(model: str) -> str | None:
    """A digest of a local model's weights: the names, sizes and evenly spaced pieces of its files.

    Training changes weights everywhere, so pieces are enough, and even a large model takes a
    moment. None if the model is not in a folder or a file here.
    """
    place = Path(place_of(PolicyConfig(model=model))[0])
    if place.is_file():
        files = [place] if is_gguf(place.name) else []
    else:
        files = sorted(place.glob("*.safetensors")) or sorted(place.glob("*.bin"))
    if not files:
        return None
    sizes = [file.stat().st_size for file in files]
    stride = max(PIECE, sum(sizes) // PIECES)
    digest = blake2b(digest_size=16)
    for file, size in zip(files, sizes, strict=True):
        digest.update(f"{file.name}/{size}/".encode())
        with open_regular(file) as opened:
            for position in range(0, size, stride):
                opened.seek(position)
                digest.update(opened.read(PIECE))
    return digest.hexdigest()
