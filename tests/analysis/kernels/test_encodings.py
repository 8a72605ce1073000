"""A file says in a comment by which codec of Python's it is to be read: none of them fails, and none takes long."""

from __future__ import annotations

import encodings
import pkgutil
import time
from pathlib import Path

import pytest

from kernel_analysis.kernels.files.file_texts import decode

CODECS = sorted(module.name for module in pkgutil.iter_modules(encodings.__path__))
TEXTS = {
    "letters": b"# " + b"a" * 100_000 + b"-" + b"zzzz" * 50_000,
    "escapes": b"# \\x41 +AGE- \\N{BULLET} =41 a--b\n" * 20_000,
    "bytes": b"# " + bytes(range(11, 256)) * 1_000,
}


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec(codec: str, tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        file = tmp_path / f"{name}.py"
        file.write_bytes(f"# coding: {codec}\nimport triton\n".encode() + text)
        before = time.process_time()
        found = decode(str(file))
        assert time.process_time() - before < 0.5, name  # `punycode` takes over 2 s
        assert found.text or found.note, name
