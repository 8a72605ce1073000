"""Names of a package that are also files of it: which of both a name is, real Python says after every import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from host_told import told

from kernel_analysis.kernels.project import Project

_ASKED = """
import json, main
before = main.package.SIZE
import other
print(json.dumps([before == 1, main.package.SIZE == 1]))
"""


@pytest.mark.parametrize(
    ("package", "certain"),
    [
        ("SIZE = 1", False),
        ("from .SIZE import SIZE", True),
        ("from .SIZE import inner\nSIZE = inner", True),
        ("SIZE = 1\nfrom .SIZE import inner", False),
    ],
)
def test_a_name_that_is_a_file_of_its_package(package: str, certain: bool, tmp_path: Path) -> None:
    texts = {
        "package/__init__.py": package, "package/SIZE.py": "SIZE = inner = 1", "main.py": "import package",
        "other.py": "import package.SIZE",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    real = subprocess.run([sys.executable, "-c", _ASKED], cwd=tmp_path, capture_output=True, check=True).stdout
    ((value, why),) = told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", ["package.SIZE"])
    assert (value == 1 and not why) == certain
    assert certain == all(json.loads(real))
