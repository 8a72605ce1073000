"""What every test shares: how many random examples are tried (``make nightly`` picks the profile ``nightly``).

No fixtures here: they belong beside the tests of the room that needs them.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A compile has a long tail, so no deadline; `make test` tries the same kernels every time, the night others.
_COMMON = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _COMMON, max_examples=200, derandomize=True)
settings.register_profile("nightly", _COMMON, max_examples=2000)
settings.load_profile("default")
