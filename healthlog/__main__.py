"""`python -m healthlog`."""

import gc
import sys

if __name__ == "__main__":
    # Nothing that is loaded now is garbage: not to look for any saves a twentieth of the time.
    gc.disable()
    from healthlog.cli import main

    sys.exit(main())
