"""What is found out once is told again as it was the first time, with all that goes with it, until a file changes."""

from __future__ import annotations

import ast
from pathlib import Path

from analysis.small_projects import HEAD, write
from kernel_analysis.host.decorators.configs import listed
from kernel_analysis.host.evaluate.values import Config, Items
from kernel_analysis.kernels.project import Project

KERNEL = """
from tuning import WIDTHS, made

@triton.autotune(configs=made(WIDTHS), key=[])
@triton.jit
def kernel(p, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 0)
"""
TUNING = """
import triton
WIDTHS = [32, 64]

def made(widths):
    return [triton.Config({"B": width}) for width in widths]
"""


def asked(project: Project, file: Path) -> tuple[list[int], set[str], set[str]]:
    """The widths, the files that they rest on, and why they may be others."""
    resolver, module = project.resolver, project.module(str(file))
    function = next(node for node in module.tree.body if isinstance(node, ast.FunctionDef))
    source = next(
        k.value for n in ast.walk(function) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "configs"
    )
    with resolver.reading() as files, resolver.noting() as notes:
        found = listed(resolver.evaluator, source, resolver.scope(module), None)
    assert isinstance(found, Items)
    configs = [value for value in found.values if isinstance(value, Config)]
    return [ast.literal_eval(config.values["B"]) for config in configs], files, notes


def test_all_that_goes_with_an_answer_is_told_again(folder: Path) -> None:
    project = write(folder, work__m=HEAD + KERNEL, work__tuning=TUNING + "\nif input():\n    WIDTHS = [128]\n")
    first = asked(project, folder / "work/m.py")
    assert first[2]
    assert any(name.endswith("tuning.py") for name in first[1])
    assert asked(project, folder / "work/m.py") == first


def test_after_an_edit_it_is_found_out_again(folder: Path) -> None:
    project = write(folder, work__m=HEAD + KERNEL, work__tuning=TUNING)
    assert asked(project, folder / "work/m.py")[0] == [32, 64]
    project.set_text(str(folder / "work/tuning.py"), TUNING.replace("32", "16"))
    assert asked(project, folder / "work/m.py")[0] == [16, 64]


def test_a_function_that_is_called_twice_makes_two_lists(folder: Path) -> None:
    tuning = (
        "\ndef tuned(widths):\n    return triton.autotune(configs=[triton.Config({'B': w}) for w in widths], key=[])\n"
    )
    kernels = "".join(f"\n@tuned([{n}])\n@triton.jit\ndef k{n}(p, B: tl.constexpr):\n    pass\n" for n in (16, 32))
    project = write(folder, work__m=HEAD + tuning + kernels)
    functions = project.functions(project.module(str(folder / "work/m.py")))
    assert [ast.literal_eval(f.configs[0]["B"]) for f in functions] == [16, 32]
