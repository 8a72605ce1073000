"""``num_warps`` and the like that a signature is launched with, as far as they are written as numbers.

May not guess: what is not written is the compiler's default.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from kernel_analysis.source.kernel import JitFunction

_NAMES = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def launch_options(function: JitFunction, constants: Mapping[str, Any]) -> dict[str, int]:
    """As the autotune config gives them that ``constants``, the constexpr values of a signature, come from; or else the
    first launch that says any."""
    for values, options in zip(function.configs, function.config_options, strict=True):
        given = {name: value.value for name, value in values.items() if isinstance(value, ast.Constant)}
        if all(constants.get(name) == value for name, value in given.items()):
            return _numbers(options)
    for launch in function.launches:
        found = _numbers({keyword.arg: keyword.value for keyword in launch.call.keywords if keyword.arg})
        if found:
            return found
    return {}


def _numbers(options: Mapping[str, ast.expr]) -> dict[str, int]:
    values = {name: options[name] for name in _NAMES if name in options}
    return {n: v.value for n, v in values.items() if isinstance(v, ast.Constant) and type(v.value) is int}
