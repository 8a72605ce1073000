"""An installed Triton to resolve against: a few files with its names, never imported."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "triton/__init__.py": "__version__ = '3.9.0'\nfrom .runtime.jit import jit, constexpr_function\n",
        "triton/language/__init__.py": "from .core import constexpr, float32, load, store\nfrom . import math, extra\n",
        "triton/language/core.py": "class constexpr: ...\ndef load(): ...\ndef store(): ...\nfloat32 = 1\n",
        "triton/language/math.py": "def exp(): ...\ndef rsqrt(): ...\n",
        "triton/language/extra/__init__.py": "",
        "triton/language/extra/cuda/__init__.py": "",
        "triton/language/extra/cuda/libdevice.py": "def tanh(): ...\n",
        "triton/runtime/__init__.py": "",
        "triton/runtime/jit.py": "def jit(): ...\ndef constexpr_function(): ...\n",
        "triton/experimental/__init__.py": "",
        "triton/experimental/gluon/__init__.py": "from ._runtime import jit\n",
    }
    for name, text in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "work").mkdir()
    return tmp_path
