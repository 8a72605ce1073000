"""Runs in any Python with a Triton: walks everything that a kernel's text could reach from the names that it may use,
by public and private attributes and by items, as far as the gate lets it. Prints as JSON what was reached, and what of
it should not have been, judged by other signs than the gate's: where it comes from, and what its text does.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import math
import sys
import textwrap
import types
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "analysis"))

from kernel_analysis.lowering import Compiler

Compiler("cuda:90").prepare()

from kernel_analysis.lowering import compat  # noqa: E402
from kernel_analysis.lowering.gate import gate, harmless  # noqa: E402

tl: Any = compat.tl
DEPTH = 4
LANGUAGES = ("triton.language", "triton.experimental.gluon.language", "triton.tools.tensor_descriptor")
ON_THE_WAY = {"triton", "triton.experimental", "triton.experimental.gluon", "triton.tools", "math"}
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), slice, range)
ROOTS = (
    *("triton", "triton.language", "triton.language.core", "triton.language.math", "triton.language.extra"),
    *("triton.language.extra.libdevice", "triton.language.extra.cuda", "triton.language.extra.hip"),
    *("triton.experimental.gluon", "triton.experimental.gluon.language", "triton.tools.tensor_descriptor"),
    *(f"triton.experimental.gluon.language.{part}" for part in ("nvidia", "nvidia.hopper", "nvidia.blackwell", "amd")),
)
RUN = {"eval", "exec", "compile", "open", "__import__", "setattr", "delattr", "globals", "vars", "locals", "input"}


def of_the_languages(name: str | None) -> bool:
    return any(name == root or (name or "").startswith(root + ".") for root in LANGUAGES)


def wrong(value: Any) -> str | None:
    """Why a kernel should not have got hold of this."""
    if isinstance(value, types.ModuleType):
        inside = of_the_languages(value.__name__) or value.__name__ in ON_THE_WAY
        return None if inside else "a module of another"
    if isinstance(value, type):
        plain = value in PLAIN or value in harmless.CALLED
        return None if plain or of_the_languages(value.__module__) or value is tl.PropagateNan else "a class"
    if isinstance(value, compat.JITCallable):
        own = of_the_languages(value.fn.__module__) or value in (compat.triton.cdiv, compat.triton.next_power_of_2)
        return None if own else "a jit function of another"
    if isinstance(value, types.FunctionType):
        return wrong_function(value)
    if isinstance(value, types.MethodType):
        return wrong(value.__self__) or wrong(value.__func__)
    if isinstance(value, (*PLAIN, list, tuple, dict, set, harmless.HarmlessFunction, type(tl.PropagateNan.NONE))):
        return None
    return None if of_the_languages(type(value).__module__) else f"a {type(value).__name__}"


def wrong_function(function: Any) -> str | None:
    listed = (tl.core.get_primitive_bitwidth, tl.pointer_type.to_ir)  # Triton's own, and ours in place of one of its
    if not of_the_languages(function.__module__) and function not in listed:
        return f"a function of {function.__module__}"
    written = inspect.unwrap(function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(written)))
    except (OSError, TypeError):
        # What `dataclass` writes has no text in a file.
        return None if function.__name__ in ("__eq__", "__hash__") else "a function whose text is not there"
    node: Any = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda))
    given = node.args
    parameters = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if a}
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            if call.func.id in parameters:
                return f"calls what it is given, `{call.func.id}`"
            if call.func.id in RUN:
                return f"calls `{call.func.id}`"
    stored = [n.value for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    changed = [n.id for n in stored if isinstance(n, ast.Name) and n.id in parameters]
    return f"changes what it is given, `{changed[0]}`" if changed else None


def starts() -> dict[str, Any]:
    """By what a kernel would write."""
    found: dict[str, Any] = {}
    for path in ROOTS:
        try:
            found[path] = gate.resolve(path)
        except (AttributeError, gate.OutOfReach):
            print(f"this Triton has no {path}", file=sys.stderr)
    for name in (f"builtins.{n}" for n in dir(builtins)):
        try:
            found[name] = gate.called(gate.resolve(name))
        except gate.OutOfReach:
            continue
    made = {
        "a scalar": tl.tensor(None, tl.float32), "a block": tl.tensor(None, tl.block_type(tl.float32, [16])),
        "a pointer": tl.tensor(None, tl.pointer_type(tl.float32)), "a tuple": tl.tuple([tl.constexpr(1)]),
        "a constexpr": tl.constexpr(1), "a text": "text", "a number": 1, "a float": 1.0, "a list": [1],
        "a dict": {1: 2}, "a range": tl.range(1), "a slice": tl.slice(1, 2, 3), "a dtype": tl.float32,
        "a jit function": tl.sum, "a constexpr function": compat.triton.cdiv,
    }  # fmt: skip
    return {**found, **made, **{f"math.{n}": getattr(gate.resolve("math"), n) for n in vars(gate.resolve("math"))}}


def names(value: Any) -> set[str]:
    found = {*dir(value), *dir(type(value)), "__globals__", "__builtins__", "__self__", "__wrapped__", "__code__"}
    return found | set(vars(value)) if hasattr(value, "__dict__") else found


def steps(value: Any) -> dict[str, Any]:
    """What a kernel can have of it: by attributes, by items, and by iterating."""
    found: dict[str, Any] = {}
    for name in names(value):
        try:
            found[f".{name}"] = gate.attribute(value, name)
        except (harmless.NotEvaluable, AttributeError):
            continue
        except Exception as error:  # noqa: BLE001  a property of Triton's that does not like what we made
            print(f".{name} of a {type(value).__name__}: {error}", file=sys.stderr)
    if isinstance(value, list | tuple | dict):
        for position, item in enumerate(value.values() if isinstance(value, dict) else value):
            found[f"[{position}]"] = gate.passes(item)
    return found


def main() -> None:
    seen: dict[int, Any] = {}
    problems: list[str] = []
    counts: Counter[str] = Counter()
    waiting = [(path, value, 0) for path, value in starts().items()]
    while waiting:
        path, value, depth = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value  # kept, so that its identity stays its own
        counts[type(value).__name__] += 1
        why = wrong(value)
        if why is not None:
            problems.append(f"{path}: {why}")
        elif depth < DEPTH and not isinstance(value, PLAIN):
            waiting += [(path + step, found, depth + 1) for step, found in steps(value).items()]
    raw = [f.__name__ for f in vars(builtins).values() if callable(f) and is_raw(f)]
    raw += [n for n, f in vars(math).items() if callable(f) and is_raw(f)]
    print(json.dumps({"problems": sorted(problems), "counts": counts, "reached": len(seen), "raw": raw}))


def is_raw(function: Any) -> bool:
    """Whether it passes, and is what is called: not our version of it."""
    try:
        called = gate.called(gate.passes(function))
    except gate.OutOfReach:
        return False
    return called is function


main()
