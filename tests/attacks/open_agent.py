"""The agent with some of its protections switched off, named by the first argument: the others are to hold alone.

Registers the package as the agent's own first lines do. Runs in any Python with a Triton.
"""

# pyright: basic
from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

_MAIN = Path(__file__).parents[2] / "analysis" / "kernel_analysis" / "agent" / "__main__.py"


def without_gate() -> None:
    """Every name means what it means in Python, and everything may be called."""
    from kernel_analysis.lowering import compat, compiler
    from kernel_analysis.lowering.gate import gate, harmless

    def resolve(path: str) -> Any:
        head, *names = path.split(".")
        value = importlib.import_module(head)
        for count, name in enumerate(names, 1):
            if not hasattr(value, name):
                importlib.import_module(".".join([head, *names[:count]]))
            value = getattr(value, name)
        return value

    opened: dict[str, Any] = {
        "resolve": resolve,
        "passes": lambda value: value,
        "attribute": lambda owner, name, changes=False: getattr(owner, name),
        "called": lambda function: function,
        "may_call": lambda function: True,
        "is_own_function": lambda function: True,
        "of_triton": lambda value: value,
    }
    for name, version in opened.items():
        assert hasattr(gate, name), name
        setattr(gate, name, version)
    gate.BUILTINS.update(vars(builtins))
    named = {name: value for name, value in vars(builtins).items() if name not in ("print", "min", "max")}
    compat.code_generator.CodeGenerator.builtin_namespace.update(named)
    harmless.method = lambda owner, name, changes=False: functools.partial(getattr(owner, name))
    compat.code_generator.str_to_ty = compat.tl.str_to_ty
    compiler.Compiler._prove = lambda self, canary: None  # it would tell at once


def without_audit() -> None:
    from kernel_analysis.agent.sandbox import seal

    seal.restrict_python = lambda: True


def without_system() -> None:
    from kernel_analysis.agent.sandbox import seal

    seal.restrict_files = lambda workspace, installed, missing: 1
    seal.restrict_calls = lambda missing, programs=False: True


def start() -> None:
    spec = importlib.util.spec_from_file_location("agent_main", _MAIN)
    assert spec is not None
    assert spec.loader is not None
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    without = sys.argv.pop(1).split(",")
    here = str(Path(__file__).parent)
    sys.path[:] = [entry for entry in sys.path if entry != here]
    user_path = agent._start("analysis", sys.argv[2:])
    for layer in without:
        {"gate": without_gate, "audit": without_audit, "system": without_system}[layer]()
    from kernel_analysis.agent.service import main

    main(user_path)


if __name__ == "__main__":
    start()
