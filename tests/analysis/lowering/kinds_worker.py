"""Runs in any Python with a Triton: compiles the kernels that come in as JSON, each a text and the types of its
parameters, and prints the kind of problem of each, with the message."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "analysis"))

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.signature.signature_model import Signature

HEAD = "import triton\nimport triton.language as tl\n\n"


def main() -> None:
    compiler = Compiler("cuda:90")
    found: list[dict[str, Any] | None] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, types, constants) in enumerate(json.load(sys.stdin)):
            file = Path(folder) / f"kernel{number}.py"
            file.write_text(HEAD + text, encoding="utf-8")
            project = Project([folder], [])
            function = next(f for f in project.module(str(file)).functions if f.name == "kernel")
            problem = compiler.lower(cut(project, function), Signature(types, constants, {})).problem
            found.append(problem and {"message": problem.message, "code": problem.code, **asdict(problem.kind)})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
