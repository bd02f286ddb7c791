"""`python -m healthlog`."""

from __future__ import annotations

import sys

from healthlog.cli import main

if __name__ == "__main__":
    sys.exit(main())
