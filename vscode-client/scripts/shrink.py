"""Makes PNGs small: ``shrink.py FROM... TO_FOLDER``. Screenshots have few colours: 256 of them do.

Needs nothing but Python. Reads only what browsers write: 8 bits, RGB or RGBA, not interlaced.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def main() -> None:
    *sources, target = map(Path, sys.argv[1:])
    for source in sources:
        width, height, pixels = read(source.read_bytes())
        (target / source.name).write_bytes(write(width, height, pixels))


def read(data: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height, and the colour of each pixel."""
    chunks: dict[bytes, bytes] = {}
    at = len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind = data[at + 4 : at + 8]
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + length]
        at += 12 + length
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 8 or colours not in (2, 6) or interlaced:
        raise SystemExit("only PNGs of 8 bits, RGB or RGBA, not interlaced")
    size = 3 if colours == 2 else 4
    raw, stride = zlib.decompress(chunks[b"IDAT"]), width * size
    above = bytearray(stride)
    pixels: list[bytes] = []
    for row in range(height):
        start = row * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        unfilter(raw[start], line, above, size)
        pixels.extend(bytes(line[index : index + 3]) for index in range(0, stride, size))
        above = line
    return width, height, pixels


def unfilter(kind: int, line: bytearray, above: bytearray, size: int) -> None:
    for index in range(len(line)) if kind else ():
        left = line[index - size] if index >= size else 0
        up = above[index]
        corner = above[index - size] if index >= size else 0
        guess = (left, up, (left + up) // 2, paeth(left, up, corner))[kind - 1]
        line[index] = (line[index] + guess) & 255


def paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def write(width: int, height: int, pixels: list[bytes]) -> bytes:
    counts = Counter(pixels)
    palette = choose(counts)
    index = {colour: number for number, colour in enumerate(palette)}
    for colour in counts.keys() - index.keys():
        index[colour] = min(range(len(palette)), key=lambda number: distance(palette[number], colour))
    rows = (pixels[row * width : (row + 1) * width] for row in range(height))
    raw = b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", b"".join(palette)), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(chunk(kind, data) for kind, data in chunks)


def choose(counts: Counter[bytes]) -> list[bytes]:
    """The surfaces as they are; of what is left the commonest of each kind, so that a red line of few pixels stays."""
    palette = [colour for colour, _ in counts.most_common(48)]
    kinds = {tuple(value >> 4 for value in colour) for colour in palette}
    for colour, _ in counts.most_common():
        kind = tuple(value >> 4 for value in colour)
        if kind not in kinds and len(palette) < 256:
            kinds.add(kind)
            palette.append(colour)
    return palette


def distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    main()
