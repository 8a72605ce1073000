"""``python -m triton_ls``: the same as the ``triton-ls`` command."""

from __future__ import annotations

import sys

from triton_ls.cli import main

if __name__ == "__main__":
    sys.exit(main())
