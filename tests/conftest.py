"""What every test shares: random examples are the same in every run and have no deadline (a compile may take long).

No fixtures here: they belong beside the tests of the room that needs them.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("triton-ls", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("triton-ls")
