"""Runs programs one after the other, in a child process of a test, and tells of each what it raises, in JSON."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import warnings

import dry

dry.install()
warnings.simplefilter("ignore")
for file in sys.argv[1:]:
    raised = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(file, run_name="program")
    except Exception as error:  # noqa: BLE001 - that is the question
        raised = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps({"file": file, "raised": raised}) + "\n")
    sys.stdout.flush()
