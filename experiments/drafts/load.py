"""The environments that a language model wrote and `rlve admit` let in: the collection DRAFTS.

rlve train --load experiments/drafts/load.py --data.environments DRAFTS

An admitted environment is code. Read it before you use it: docs/security.md says what it could do.
"""

import json
from pathlib import Path

from rlve.collections import COLLECTIONS
from rlve.targets import load_code

HERE = Path(__file__).parent
CERTIFICATES = sorted(HERE.glob("certificates/*.json"))

load_code(*(str(HERE / "environments" / f"{file.stem}.py") for file in CERTIFICATES))
COLLECTIONS["DRAFTS"] = tuple(json.loads(file.read_text())["environment"] for file in CERTIFICATES)
