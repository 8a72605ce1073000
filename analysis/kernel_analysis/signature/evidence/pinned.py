"""The types and values that a comment above a kernel gives its parameters (``source.pragma_comment``), as the strongest
evidence there is; and how a guess is written in such a comment.

Says what is wrong with what it can't use. Values are literals: nothing is evaluated.
"""

from __future__ import annotations

import ast
import difflib
import re
from typing import Any, Final, cast

from kernel_analysis.record import record
from kernel_analysis.signature import spelling
from kernel_analysis.signature.evidence import annotations
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.source.comments.pragma_comment import Item
from kernel_analysis.source.dtypes import LANGUAGE, TRITON
from kernel_analysis.source.kernel import JitFunction, Parameter
from kernel_analysis.source.limits import LONG_COMMENT
from kernel_analysis.source.parsing.parse import expression
from kernel_analysis.source.slice import ConstantValue, TorchDtype, TritonObject
from kernel_analysis.span import Span

_DEEPEST = 20  # tuples in tuples
_LONGEST_SHOWN = 200
_DTYPE: Final = re.compile(r"(?:(?P<torch>torch)\.|(?:tl|triton\.language)\.)?(?P<name>\w+)$")
_BLOCK: Final = re.compile(
    r"(?P<head>tensordesc(?:_im2col)?<)?(?P<dtype>\*?[\w.]+)\s*\[(?P<shape>[\d,\s]+)\]"
    r"(?(head)(?:,\s*input_rank=(?P<image>\d))?>)$"
)
_LONG_NAMES: Final = {short: long for long, short in LANGUAGE.items()}


@record
class Pin:
    """``value`` counts where the type is ``constexpr``."""

    type: ParameterType
    value: ConstantValue
    evidence: Evidence


@record
class PinMistake:
    """What is wrong with an item, for people."""

    span: Span
    message: str


def read(function: JitFunction, said: list[Item], helper: bool) -> tuple[dict[str, Pin], list[PinMistake]]:
    """By parameter. ``helper``: a jit function gets blocks, too."""
    parameters = {p.name: p for p in function.parameters}
    pins: dict[str, Pin] = {}
    mistakes: list[PinMistake] = []
    for item in said:
        parameter = parameters.get(item.name)
        if not item.sign:
            nothing = f"`{_shown(item.text)}` says nothing: write `name: type` or `name = value`"
            found: Pin | str = nothing if item.text else LONG_COMMENT
        elif parameter is None:
            near = difflib.get_close_matches(item.name, parameters, 1)
            found = f"`{function.name}` has no parameter `{_shown(item.name)}`"
            found += f": is `{near[0]}` meant?" if near else ""
        elif item.name in pins:
            found = f"`{item.name}` was said before, and that counts"
        else:
            found = _pin(parameter, item, helper)
        if isinstance(found, Pin):
            pins[item.name] = found
        else:
            mistakes.append(PinMistake(item.span, found))
    return pins, mistakes


def written(signature: Signature, name: str) -> str | None:
    """What to write in a comment for a parameter, so that it gets what it has in the signature; None where no comment
    can say that."""
    type = signature.types.get(name)
    if type == "constexpr":
        value = spelled(signature.constants.get(name))
        return None if value is None else f"{name} = {value}"
    text = None if type is None else _type_text(type)
    return None if text is None else f"{name}: {text}"


def _pin(parameter: Parameter, item: Item, helper: bool) -> Pin | str:
    name = item.name
    detail = f"a comment above the function says {item.text}"
    evidence = Evidence("pragma", detail, True, item.span.line)
    if item.sign == "=":
        literal = _value(item.text)
        if literal is None:
            which = "a number, a string, True, False, None, a dtype or a tuple of them"
            return f"`{_shown(item.text)}` is no value: write {which}"
        value = literal[0]
        if value is not None and not parameter.constexpr and not helper:
            return f"`{name}` is not `tl.constexpr`: say its type, like `{name}: {_type_for(value)}`"
        return Pin("constexpr", value, evidence)
    if parameter.constexpr:
        return f"`{name}` is `tl.constexpr`: say its value, like `{name} = 64`"
    type = _type(item.text, helper)
    if type is None:
        like = "`*fp16`, `i32`, `(*fp32, i64)` or `tensordesc<fp16[64, 64]>`"
        return f"Triton has no type `{_shown(item.text)}`: write one like {like}"
    annotated = annotations.type_of(parameter.annotation)
    if annotated is not None and annotated != type and not helper:
        return f"`{name}` is annotated `{annotations.text(parameter.annotation)}`, and Triton goes by that"
    return Pin(type, None, evidence)


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _type(text: str, helper: bool, depth: int = 0) -> ParameterType | None:
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        if depth == _DEEPEST:
            return None
        parts = [_type(part, helper, depth + 1) for part in _inside(text)]
        return tuple(part for part in parts if part is not None) if parts and None not in parts else None
    block = _BLOCK.match(text)
    if block is None:
        return annotations.type_of(ast.Constant(text))
    dtype = annotations.type_of(ast.Constant(block["dtype"]))
    shape = [int(part) for part in block["shape"].split(",") if part.strip()]
    if dtype is None or not all(shape):
        return None
    if block["head"]:
        image = int(block["image"]) if block["image"] else None
        sound = "*" not in dtype and ("im2col" in block["head"]) == (image is not None)
        return spelling.descriptor(dtype, shape, image) if sound else None
    return f"{dtype}{shape}" if helper else None


def _inside(text: str) -> list[str]:
    """The parts of a tuple's text."""
    parts, depth = [""], 0
    for letter in text[1:-1]:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def _value(text: str) -> tuple[ConstantValue] | None:
    dtype = _DTYPE.match(text)
    if dtype is not None and dtype["torch"]:
        return (TorchDtype(dtype["name"]),) if dtype["name"] in TRITON else None
    if dtype is not None and (dtype["name"] in LANGUAGE or dtype["name"] in _LONG_NAMES):
        return (TritonObject(f"triton.language.{_LONG_NAMES.get(dtype['name'], dtype['name'])}"),)
    tree = expression(text.strip())
    if tree is None:
        return None
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError):  # no literal; a dict or set of what can't be in one
        return None
    return (value,) if _is_constant(value) else None


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, cast("tuple[Any, ...]", value)))
    return value is None or isinstance(value, bool | int | float | str)


def spelled(value: ConstantValue) -> str | None:
    """A value as it may stand in a comment; None where it can't."""
    if isinstance(value, TritonObject):
        name = value.path.rpartition(".")[2]
        return f"tl.{name}" if name in LANGUAGE else None
    if isinstance(value, TorchDtype):
        return f"torch.{value.name}"
    if isinstance(value, tuple):
        parts = [spelled(part) for part in value]
        text = ", ".join(part for part in parts if part is not None)
        return None if None in parts else f"({text},)" if len(parts) == 1 else f"({text})"
    finite = not isinstance(value, float) or value - value == 0
    return repr(value) if _is_constant(value) and finite else None


def _type_text(type: ParameterType) -> str | None:
    if isinstance(type, str):
        return None if type == "constexpr" else type
    parts = [_type_text(part) for part in type]
    return None if None in parts else f"({', '.join(part for part in parts if part is not None)})"


def _type_for(value: ConstantValue) -> str:
    """The type of a parameter that gets the value at run time."""
    if isinstance(value, bool):
        return "i1"
    return "i32" if isinstance(value, int) else "fp32" if isinstance(value, float) else "*fp16"
