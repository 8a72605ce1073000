"""What a text imports is read from the workspace and from what is installed, and from nowhere else: from the first
question on, before the system holds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.process import Agent
from kernel_analysis.agent.sandbox.confined import Confined

HEAD = "import triton\nimport triton.language as tl\n"
KERNEL = "\n\n@triton.jit\ndef k(out_ptr, N: tl.constexpr = SECRET):\n    tl.static_assert(SECRET == 0, f'{SECRET}')\n"


def by_folder(root: Path, outside: Path) -> str:
    (root / "linked").symlink_to(outside)
    return "from linked.lib import SECRET"


def by_file(root: Path, outside: Path) -> str:
    (root / "other.py").symlink_to(outside / "lib.py")
    return "from other import SECRET"


def by_links(root: Path, outside: Path) -> str:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("../outside")
    return "from one.lib import *"


def by_dots(root: Path, outside: Path) -> str:
    return "from ..outside.lib import SECRET"


def by_more_dots(root: Path, outside: Path) -> str:
    return f"from {'.' * (len(root.parts) + 3)}{'.'.join(outside.parts[1:])}.lib import SECRET"


@pytest.mark.parametrize("way", [by_folder, by_file, by_links, by_dots, by_more_dots], ids=lambda way: way.__name__)
def test_nothing_elsewhere_is_read(way: Callable[[Path, Path], str], tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (outside / "lib.py").write_text("SECRET = 471147114711\n")
    text = f"{HEAD}{way(root, outside)}{KERNEL}"
    with Agent(root) as agent:
        for answer in (agent.show(root / "kernels.py", text), agent.show(root / "again.py", text)):
            assert answer.reports["k"]["status"] == "failed"
            assert "471147114711" not in str(answer)


def test_what_is_installed_and_what_is_in_the_workspace_is_read(tmp_path: Path) -> None:
    for name in ("root", "installed", "outside"):
        (tmp_path / name / "inner").mkdir(parents=True)
    (tmp_path / "root" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "root" / "within").symlink_to("inner")
    (tmp_path / "named").symlink_to(tmp_path / "root")
    may_read = Confined([str(tmp_path / "named")], [str(tmp_path / "installed")])
    allowed = ["root/a", "root/inner/a", "root/within/a", "named/a", "installed/inner/a", "root/../root/a"]
    refused = ["outside/a", "root/link/a", "root/../outside/a", "a", "rootless/a", "named/link/inner/a"]
    assert all(may_read(f"{tmp_path}/{name}.py") for name in allowed)
    assert not any(may_read(f"{tmp_path}/{name}.py") for name in refused)
    assert may_read(os.__file__)
