"""What a custom op is given, what it computes and what it hands to the kernel: as a launch in the file does it, or,
where there is none that can be said again, plainly: everything that the kernel takes, and the grid."""

from __future__ import annotations

import ast
from dataclasses import replace

from kernel_analysis.custom_op.op_kernel import Kernel
from kernel_analysis.custom_op.op_model import CustomOp, OpInput, OpRefused
from kernel_analysis.custom_op.steps import PARAMETER, Steps
from kernel_analysis.custom_op.terms import Terms
from kernel_analysis.host.tensors.placing import Place
from kernel_analysis.source.kernel import Launch
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.forms import is_none

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def choose(kernel: Kernel, launches: list[tuple[Launch, Place]]) -> CustomOp:
    """The op; ``launches``: those in its file, each with where it stands."""
    for launch, at in launches:
        op = _as_launched(kernel, launch, at)
        if op is not None:
            return _with_unsure(kernel, op)
    if kernel.function.autotuned:
        raise OpRefused(
            "No launch of it in this file can be said with its own arguments alone, so the grid, which depends on the "
            "autotune config, is not known."
        )
    return _with_unsure(kernel, _plainly(kernel))


def _with_unsure(kernel: Kernel, op: CustomOp) -> CustomOp:
    passed = {one.name for one in op.inputs if one.mutated}
    op.unsure = [name for name in kernel.names if name in passed and kernel.facts[name].write.verdict == "unknown"]
    return op


def _plainly(kernel: Kernel) -> CustomOp:
    """Every parameter is the op's, and so is the grid."""
    op = CustomOp(kernel.function.name)
    later: list[OpInput] = []
    for name in (name for name in kernel.names if name not in kernel.left_out):
        number = None if kernel.pointer(name) else kernel.number(name)
        if kernel.pointer(name):
            op.inputs.append(kernel.tensor(name))
        elif kernel.signature.types.get(name) != "constexpr":
            op.inputs.extend([number] if number is not None else [])
        elif number is not None and kernel.signature.evidence[name].certain:
            later.append(OpInput(name, number.type, repr(kernel.value(name))))
        elif number is not None:
            op.inputs.append(number)
        op.arguments.append(f"{name}={name}" if number or kernel.pointer(name) else f"{name}={_constant(kernel, name)}")
    op.inputs = _ordered([*op.inputs, OpInput("grid", "list[int]"), *later])
    op.grid = "tuple(grid)"
    return op


def _as_launched(kernel: Kernel, launch: Launch, at: Place) -> CustomOp | None:
    """The op with the launch's arguments and grid; None where they can't all be said."""
    if launch.via is not None or not launch.scope or launch.grid is None:
        return None
    steps = Steps(launch.scope[-1], launch.call)
    here = len(steps)
    passed = _passed(kernel, launch.call)
    if passed is None or any(name in config for name, _ in passed for config in kernel.function.configs):
        # What the configs set, too, no launch can pass: Triton fails on this one.
        return None
    terms = Terms(steps, kernel.module, at)
    inputs: dict[str, OpInput] = {}
    for name, node in passed:
        if name is None or not kernel.pointer(name) or is_none(node):
            continue
        version = steps.version(node.id, here) if isinstance(node, ast.Name) else None
        known = terms.given.get((node.id, version)) if isinstance(node, ast.Name) and version is not None else None
        if known is None:
            inputs[name] = kernel.tensor(name, _may_be_none(steps, node, here))
            terms.tensors.add(name)
            if isinstance(node, ast.Name) and version is not None:
                terms.is_tensor(node.id, version, name)
        elif kernel.tensor(name).mutated:  # the same tensor twice
            inputs[known] = replace(inputs[known], mutated=True)
    numbers = [(name, node) for name, node in passed if not (name and kernel.pointer(name))]
    literal: dict[int, str] = {}
    while True:
        unsaid = next(
            ((n, e) for n, e in numbers if id(e) not in literal and terms.says(e, here) is None and n not in inputs),
            None,
        )
        if unsaid is None:
            break
        name, node = unsaid
        if name is None:
            return None
        number = kernel.number(name, _default(steps, node, here))
        if number is None:
            literal[id(node)] = _constant(kernel, name)
            continue
        inputs[name] = number
        if isinstance(node, ast.Name):
            version = steps.version(node.id, here)
            if version is not None:
                terms.given[node.id, version] = name
    for name, version in terms.unsaid_numbers(launch.grid, here):
        inputs[name] = OpInput(name, "int")
        terms.given[name, version] = name
    needed = terms.says(launch.grid, here)
    if needed is None:
        return None
    op = CustomOp(kernel.function.name)
    terms.taken = frozenset(inputs)
    for keyword, name, node in _written(kernel, launch.call):
        again = terms.word(node.id, here) if isinstance(node, ast.Name) and name and kernel.pointer(name) else None
        if name in inputs:
            word = name
        elif again in inputs:  # a tensor that was passed before
            word = again
        elif id(node) in literal:
            word = literal[id(node)]
        else:
            needed |= terms.says(node, here) or set()
            word = terms.spoken(node, here)
        op.arguments.append(f"{keyword}={word}" if keyword else str(word))
    op.grid = terms.spoken(launch.grid, here)
    contiguous = [one.name for one in inputs.values() if not one.mutated and _is_contiguous(terms, one.name)]
    op.statements = [*(f"{name} = {name}.contiguous()" for name in contiguous), *terms.copied(needed)]
    _make_outputs(kernel, terms, passed, inputs, op)
    op.inputs = _ordered(list(inputs.values()))
    return op


def _make_outputs(
    kernel: Kernel, terms: Terms, passed: list[tuple[str | None, ast.expr]], inputs: dict[str, OpInput], op: CustomOp
) -> None:
    """Which of the written tensors the code around the launch makes anew, and how."""
    steps = terms.steps
    fresh: dict[str, tuple[int, ast.expr]] = {}
    for name, node in passed:
        if name is None or name not in inputs or not inputs[name].mutated or not isinstance(node, ast.Name):
            continue
        version = steps.version(node.id, len(steps))
        if version is None or version == PARAMETER or not steps.steps[version].whole:
            continue
        made = steps.steps[version].node
        value = made.value if isinstance(made, ast.Assign | ast.AnnAssign) else None
        if isinstance(made, ast.Assign) and not (len(made.targets) == 1 and isinstance(made.targets[0], ast.Name)):
            continue
        if value is not None and inputs[name].default is None and steps.kept(node.id, version):
            fresh[name] = (version, value)
    # In the order in which they are made; an output may be made like one before it.
    known = replace(terms, given=dict(terms.given))
    for version in [version for version, word in known.given.items() if word in fresh]:
        del known.given[version]
    makings: dict[int, str] = {}
    needed: set[int] = set()
    for name, (place, value) in sorted(fresh.items(), key=lambda item: item[1][0]):
        more = known.makes(value, place)
        if more is None:
            continue
        needed |= more
        inputs[name] = replace(inputs[name], made=True)
        makings[place] = f"{name} = {known.spoken(value, place)}"
        known.given.update({version: word for version, word in terms.given.items() if word == name})
    op.preparing = [makings.get(place) or known.copied({place})[0] for place in sorted(needed | makings.keys())]


def _passed(kernel: Kernel, call: ast.Call) -> list[tuple[str | None, ast.expr]] | None:
    """Each argument of the launch with its parameter; None after ``*numbers`` and for what is no parameter. None where
    a pointer may be among those. ``**more`` that can hold nothing but compiler options is left out."""
    out = [(name, node) for _, name, node in _written(kernel, call)]
    named = {name for name, _ in out}
    missing = [one for one in kernel.function.parameters if one.name not in named | kernel.left_out]
    if any(keyword.arg is None for keyword in call.keywords) and any(one.default is None for one in missing):
        return None
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return None if starred and any(kernel.pointer(one.name) for one in missing) else out


def _written(kernel: Kernel, call: ast.Call) -> list[tuple[str | None, str | None, ast.expr]]:
    """Keyword, parameter (or compiler option) and expression of each argument, as it stands."""
    out: list[tuple[str | None, str | None, ast.expr]] = []
    names, counting = kernel.names, True
    for position, argument in enumerate(call.args):
        counting = counting and not isinstance(argument, ast.Starred) and position < len(names)
        out.append((None, names[position] if counting else None, argument))
    for keyword in call.keywords:
        if keyword.arg not in (None, "grid", "warmup"):
            out.append((keyword.arg, keyword.arg if keyword.arg in (*names, *_OPTIONS) else None, keyword.value))
    return out


def _may_be_none(steps: Steps, node: ast.expr, before: int) -> bool:
    """Whether the function around the launch hands on a parameter of its own that may be left out."""
    if not isinstance(node, ast.Name) or steps.version(node.id, before) != PARAMETER:
        return False
    annotation = steps.parameters[node.id].annotation
    written = "" if annotation is None else ast.unparse(annotation)
    default = steps.defaults.get(node.id)
    return (default is not None and is_none(default)) or "None" in written or "Optional" in written


def _default(steps: Steps, node: ast.expr, before: int) -> str | None:
    """The default of the parameter that is handed on, where it is a plain value."""
    if isinstance(node, ast.Name) and steps.version(node.id, before) == PARAMETER:
        default = steps.defaults.get(node.id)
        if isinstance(default, ast.Constant) and default.value is not None:
            return repr(default.value)
    return None


def _constant(kernel: Kernel, name: str) -> str:
    value = kernel.value(name)
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, TritonObject):
        return value.path
    raise OpRefused(f"Its constexpr `{name}` is {value!r}, which no op can be given and no launch in this file makes.")


def _is_contiguous(terms: Terms, word: str) -> bool:
    """Whether the code around the launch passes `x.contiguous()` for an input."""
    for (_, version), given in terms.given.items():
        if given == word and version != PARAMETER and terms.steps.steps[version].whole:
            value = getattr(terms.steps.steps[version].node, "value", None)
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                return value.func.attr == "contiguous"
    return False


def _ordered(inputs: list[OpInput]) -> list[OpInput]:
    """Those with defaults last, as Python wants it."""
    return [one for one in inputs if one.default is None] + [one for one in inputs if one.default is not None]
