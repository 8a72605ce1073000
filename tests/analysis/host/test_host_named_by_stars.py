"""What a package brings in by ``import *`` from hundreds of files: a file without the word is not parsed for it, and
one that binds it, in whatever way, is found.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from kernel_analysis.host.names.naming import meanings
from kernel_analysis.kernels.project import Project

BINDS = {
    "an import": "import utils\n",
    "an import under another name": "import os as utils\n",
    "a name of another file": "from os import path as utils\n",
    "a name among several": "from os import (\n    sep,\n    path as utils,\n)\n",
    "an assignment": "utils = 1\n",
    "one of several": "first, (utils, *rest) = 1, (2, 3)\n",
    "an annotation": "utils: int = 1\n",
    "a function": "def utils():\n    pass\n",
    "a class": "class utils:\n    pass\n",
    "a loop": "for utils in (1, 2):\n    pass\n",
    "a context": "with open(__file__) as utils:\n    pass\n",
    ":=": "print(utils := 1)\n",
    "an error": "try:\n    pass\nexcept ValueError as utils:\n    raise\n",
    "a pattern": "match 1:\n    case utils:\n        pass\n",
    "behind a line's end": "first = ...\\\n;utils = 1\n",
    "in compatible letters": "ｕtils = 1\n",
    "a star": "from pkg.further import *\n",
    "a star behind a line's end": "from pkg.further import \\\n    *\n",
}
"""Each binds ``utils``, by itself or through a further star."""
SILENT = {
    "nothing of the kind": "VALUE = 1\n",
    "a dotted path": "import pkg.utils.text\nfrom .utils import text\nfrom ...utils import other\n",
    "an attribute": "import pkg\n\nVALUE = pkg.utils\n",
    "part of another word": "utilses = 1\n",
}


FILES = {
    "main.py": "import pkg\n",
    "pkg/__init__.py": "from .part import *\n",
    "pkg/part/__init__.py": "from .inner import *\n",
}
"""Those that have to be parsed."""


def _project(tmp_path: Path, text: str) -> Project:
    files = {**FILES, "pkg/part/inner.py": text, "pkg/further.py": "utils = 2\n", "utils.py": ""}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return Project([str(tmp_path)], [], patient=True)


def _meanings(project: Project, folder: Path) -> list[object]:
    """What ``pkg.utils`` means to a file beside the package."""
    scope = project.resolver.scope(project.load(str(folder / "main.py")))
    return list(meanings(project.resolver, scope, ast.parse("pkg.utils", mode="eval").body))


@pytest.mark.parametrize("way", BINDS)
def test_what_binds_a_name_is_found_through_stars(tmp_path: Path, way: str) -> None:
    found = _meanings(_project(tmp_path, BINDS[way]), tmp_path)
    assert found
    assert None not in found


@pytest.mark.parametrize("way", SILENT)
def test_what_binds_no_such_name_is_not_parsed(tmp_path: Path, way: str) -> None:
    project = _project(tmp_path, SILENT[way])
    assert _meanings(project, tmp_path) == [None]
    assert project.held == sum(map(len, FILES.values()))


def test_a_file_that_gets_the_name_later_is_asked_again(tmp_path: Path) -> None:
    project = _project(tmp_path, SILENT["an attribute"])
    assert _meanings(project, tmp_path) == [None]
    before = project.host_changes
    inner = tmp_path / "pkg/part/inner.py"
    inner.write_text("utils = 1\n")
    project.changed([str(inner)])
    assert project.host_changes > before
    assert None not in _meanings(project, tmp_path)
