"""The types that the printed Ir has (``tensor<64x!tt.ptr<f32>>``), read for shapes and bytes. Pure; knows no values."""

from __future__ import annotations

import re


def shape(kind: str) -> list[int]:
    found = re.match(r"(?:!tt\.(?:ptr|tensordesc))?<?(?:tensor)?<((?:\d+x)+)", kind) or re.match(
        r"tensor<((?:\d+x)+)", kind
    )
    return [int(number) for number in found[1].split("x")[:-1]] if found else []


def is_integer(kind: str) -> bool:
    return re.search(r"(?:^|x)(?:i|si|ui)\d+(?:, #.*)?>?$|^index$", kind) is not None and "ptr" not in kind


def is_truth(kind: str) -> bool:
    return re.search(r"(?:^|x)i1(?:, #.*)?>?$", kind) is not None


def pointee_bytes(kind: str) -> int:
    if "!tt.ptr<!tt.ptr" in kind:
        return 8
    found = re.search(r"!tt\.ptr<(?:tensor<(?:\d+x)*)?[a-z]+?(\d+)", kind)
    if found is None:
        return 8
    bits = re.search(r"!tt\.ptr<(?:tensor<(?:\d+x)*)?f8", kind)
    return 1 if bits else max(1, int(found[1]) // 8)


def described_bytes(kind: str) -> int:
    found = re.search(r"x(?:bf|f|i|ui|si)(\d+)|<(?:bf|f|i|ui|si)(\d+)", kind)
    return max(1, int(found[1] or found[2]) // 8) if found and "xf8" not in kind else 8 if not found else 1
