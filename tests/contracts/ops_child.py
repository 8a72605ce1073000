"""Calls each op of a file, in a child process of a test, and tells which arguments it changed and whether torch's own
check of the schema passes."""

from __future__ import annotations

import json
import runpy
import sys

import torch

for name, op in runpy.run_path(sys.argv[1], run_name="program").items():
    if not name.startswith("op_"):
        continue
    given = [torch.full((64,), 2.0 + number) for number in range(3)]
    before = [tensor.clone() for tensor in given]
    op._init_fn(*given)
    changed = [key for key, a, b in zip("xyz", given, before, strict=True) if not torch.equal(a, b)]
    passes = True
    try:
        torch.library.opcheck(op, tuple(before), test_utils="test_schema")
    except Exception:  # noqa: BLE001 - that is the question
        passes = False
    sys.stdout.write(json.dumps({"op": name, "changed": changed, "passes": passes}) + "\n")
