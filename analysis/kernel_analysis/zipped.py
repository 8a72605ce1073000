"""Texts as they are stored, and back: never more than a bound, whatever the stored bytes unpack to."""

from __future__ import annotations

import zlib

MOST_BYTES = 64 << 20


def zipped(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unzipped(data: bytes) -> str:
    """Raises ValueError for what ``zipped`` did not make."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof:
        raise ValueError("it is cut off, or unpacks to more than any result takes")
    return text.decode("utf-8", "surrogatepass")
