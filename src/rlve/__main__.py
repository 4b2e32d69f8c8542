"""`python -m rlve` is the `rlve` command."""

import sys

from rlve.cli import main

sys.exit(main())
