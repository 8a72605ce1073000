"""A backend that is not Triton's own takes its own path: a real plugin, found as Triton finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.process import PYTHON, Agent

COMPILER = """
import triton.backends.nvidia.compiler as nvidia
from triton.backends.compiler import GPUTarget


class AbacusBackend(nvidia.CUDABackend):
    @staticmethod
    def supports_target(target):
        return target.backend == "abacus"

    def __init__(self, target):
        super().__init__(target)
        assert target.arch == 7, "an abacus has 7 beads"  # refuses others, as a backend may
        self.target = GPUTarget("cuda", 90, 32)
"""
DRIVER = """
import triton.backends.nvidia.driver as nvidia


class AbacusDriver(nvidia.CudaDriver):
    @staticmethod
    def is_active():
        return False
"""
KERNEL = """import triton
import triton.language as tl


@triton.jit
def by_vendor(nvidia_ptr: "*fp32", other_ptr: "*fp32"):
    if tl.target_info.is_cuda():
        tl.store(nvidia_ptr, 1.0)
    else:
        tl.store(other_ptr, 1.0)
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter in which the plugin is installed."""
    site = tmp_path / "site"
    for name, text in {
        "abacus_backend/__init__.py": "",
        "abacus_backend/compiler.py": COMPILER,
        "abacus_backend/driver.py": DRIVER,
        "abacus_backend-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: abacus-backend\nVersion: 1.0\n",
        "abacus_backend-1.0.dist-info/entry_points.txt": "[triton.backends]\nabacus = abacus_backend\n",
    }.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{PYTHON}" "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    return str(wrapper)


def test_the_plugin_compiles_and_is_asked_what_it_is(root: Path, python: str) -> None:
    with Agent(root, python, target="abacus:7") as agent:
        report = agent.show(root / "vendor.py", KERNEL).reports["by_vendor"]
    written = {parameter["name"]: parameter["written"] for parameter in report["parameters"]}
    assert report["status"] == "analyzed", report["problems"]
    assert written == {"nvidia_ptr": "no", "other_ptr": "yes"}


def test_a_plugin_that_refuses_the_target_is_quoted(root: Path, python: str) -> None:
    with Agent(root, python, target="abacus:8") as agent:
        report = agent.show(root / "vendor.py", KERNEL).reports["by_vendor"]
    (problem,) = report["problems"]
    assert "the target `abacus:8` is not usable" in problem["message"]
    assert "an abacus has 7 beads" in problem["message"]


def test_a_backend_that_is_not_installed_is_said(root: Path, python: str) -> None:
    with Agent(root, python, target="calculator:1") as agent:
        report = agent.show(root / "vendor.py", KERNEL).reports["by_vendor"]
    (problem,) = report["problems"]
    assert "unknown target `calculator:1`" in problem["message"]
    assert "abacus" in problem["message"]
