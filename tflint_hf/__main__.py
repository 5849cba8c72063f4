"""`python -m tflint_hf`, and the command `tflint-hf`."""

from __future__ import annotations

import sys

from tflint_hf.interrupts import deferred


def run() -> int:
    """Run the command line and return its exit code, that of an interrupt even if it comes during the imports."""
    try:
        with deferred():
            from tflint_hf.cli import main
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
