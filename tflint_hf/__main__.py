"""`python -m tflint_hf`."""

from __future__ import annotations

import sys

from tflint_hf.cli import main

sys.exit(main())
