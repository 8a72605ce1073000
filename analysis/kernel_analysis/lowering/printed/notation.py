"""How MLIR and Triton print one operation: its operands, the types of its results, its attributes, its branches.

Works on the text between an operation's name and its location. Knows no function around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

VALUE = r"%[\w.$-]+"
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\([0-9A-F]{2}|.)")
# What stands before `=` is a region's own argument: `iter_args(%inner = %operand)`.
_LOOP_OPERAND = re.compile(r"%[\w.$#-]+(?![\w.$#-]| =)")
_INNER = re.compile(rf"({VALUE}) =")
_HEADED = re.compile(
    rf'({VALUE}): ([^ ]+(?: (?!loc\(|\{{[^{{}}]*\}} loc\()[^ ]+)*)(?: \{{[^{{}}]*\}})? loc\((?:"([^"]*)"\()?'
)
_SYMBOL = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))')
_SUCCESSOR = re.compile(r"\^(bb\d+)(?:\(([^)]*)\))?")
_REAL = re.compile(r" (?:dense<)?(-?\d+\.\d+(?:[eE][+-]?\d+)?)>? :")
_NUMBER = re.compile(r" (?:dense<)?(-?\d+)>? :")
_TRUTH = re.compile(r" (?:dense<)?(true|false)")
_NAMED_NUMBER = re.compile(r"(\w+) = (-?\d+) : i\d+")
_ORDER = re.compile(r"order = array<i32: ([\d, ]+)>")
_PACKED = re.compile(r"packed_element = (\d+)")
_PURE = re.compile(r"pure = (true|false)")
_CONSTRAINTS = re.compile(r'constraints = "((?:[^"\\]|\\.)*)"')
_EXTERN = re.compile(r'symbol = "((?:[^"\\]|\\.)*)"')

NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


def _unescaped(text: str) -> str:
    """The string that MLIR printed; a byte that is no character stands for itself."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text)
    try:
        return plain.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return plain


def symbol(text: str) -> str:
    """The first function that is named: ``@name`` or ``@"any name"``. Raises ValueError where none is."""
    found = _SYMBOL.search(text)
    if found is None:
        raise ValueError(f"no function is named in `{text[:80]}`")
    return found[2] or _unescaped(found[1])


plain_operand = re.compile(r"%[\w.$#-]+").search
plain_operands = re.compile(r"%[\w.$#-]+").findall
"""The values that an operation is given, in the order in which they are printed, where its text has no strings."""


def operands(name: str, text: str) -> list[str]:
    """The same for any operation."""
    text = _STRING.sub('""', text)
    return _LOOP_OPERAND.findall(text) if name.startswith("scf.") else plain_operands(text)


def renamed(values: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Values (``%a``, ``%a#1``) under the new names of what they belong to."""
    return [_renamed(value, names) if "#" in value else names.get(value, value) for value in values]


def _renamed(value: str, names: Mapping[str, str]) -> str:
    base, mark, number = value.partition("#")
    return f"{names.get(base, base)}{mark}{number}"


def inner_arguments(text: str) -> list[str]:
    """The arguments of its region that a loop names in its own line."""
    return _INNER.findall(text)


def headed(text: str) -> list[tuple[str, str, str]]:
    """The arguments of a function, label or partition, ``(%a: f32 loc("a"(#loc1)), ...)``: value, type, and the name
    in the location."""
    return _HEADED.findall(text)


def loop_types(name: str, text: str) -> list[str]:
    """The types of the arguments that a loop names in its own line."""
    if name == "scf.while":
        return split_types(text[text.index(" : ") + 3 : text.index(" -> ")])
    before, _, index = text.rpartition(" : ")
    return [index.removesuffix("{").strip(), *split_types(_after(before, "->"))]


def successors(text: str) -> list[tuple[str, int]]:
    """The labels that a branch names, and how many values it passes to each."""
    return [(label, passed.split(":")[0].count("%")) for label, passed in _SUCCESSOR.findall(text)]


def attributes(name: str, text: str) -> Mapping[str, str]:
    """What the facts need, as ``Op.attributes`` has it; the callee of a call is its ``symbol``."""
    read = _ATTRIBUTES.get(name)
    return NO_ATTRIBUTES if read is None else read(text)


def _constant(text: str) -> dict[str, str]:
    number = _NUMBER.match(text)
    if number is None:
        truth, real = _TRUTH.match(text), _REAL.match(text)
        return {"truth": truth[1]} if truth is not None else {"real": real[1]} if real is not None else {}
    return {"value": number[1]}


def _word(key: str) -> Callable[[str], dict[str, str]]:
    """The word that follows the name, like the predicate in `arith.cmpi slt, ...`."""
    return lambda text: {key: text.split(None, 1)[0].rstrip(",") if text.strip() else ""}


def _numbers(text: str) -> dict[str, str]:
    """`{axis = 1 : i32}`, `{end = 8 : i32, start = 0 : i32}`."""
    return dict(_NAMED_NUMBER.findall(text))


def _order(text: str) -> dict[str, str]:
    """`{order = array<i32: 1, 0>}`"""
    found = _ORDER.search(text)
    return {} if found is None else {"order": found[1]}


def _reshape(text: str) -> dict[str, str]:
    return {"reordered": "true"} if " allow_reorder" in text else {}


def _assembly(text: str) -> dict[str, str]:
    code = _STRING.search(text)
    assert code is not None, text
    rest = text[code.end() :]
    constraints, packed = _CONSTRAINTS.search(rest), _PACKED.search(rest)
    plain = rest if constraints is None else rest[: constraints.start()] + rest[constraints.end() :]
    return {
        "asm_string": _unescaped(code[1]),
        "constraints": _unescaped(constraints[1]) if constraints else "",
        "pure": str("pure = true" in plain),
        "packed_element": packed[1] if packed else "1",
    }


def _extern(text: str) -> dict[str, str]:
    named = _EXTERN.search(text)
    return {"symbol": _unescaped(named[1]) if named else "", "pure": _pure(text)}


def _pure(text: str) -> str:
    return str(any(word == "true" for word in _PURE.findall(_CONSTRAINTS.sub("", text))))


_ATTRIBUTES: dict[str, Callable[[str], dict[str, str]]] = {
    "tt.reshape": _reshape,
    "arith.constant": _constant,
    "arith.cmpi": _word("predicate"),
    "tt.atomic_rmw": _word("kind"),
    "tt.get_program_id": _word("axis"),
    "tt.get_num_programs": _word("axis"),
    "tt.make_range": _numbers,
    "tt.expand_dims": _numbers,
    "tt.trans": _order,
    "tt.elementwise_inline_asm": _assembly,
    "ttg.inline_asm": _assembly,
    "tt.extern_elementwise": _extern,
}


def result_types(name: str, text: str, count: int) -> list[str]:
    """The types of an operation's results, empty where none is printed (tokens). Most print them at their end, after an
    arrow or else after a colon."""
    if '"' in text:
        text = _STRING.sub('""', text)
    special = _TYPES.get(name)
    if special is not None:
        return [special(text)]
    text = text.removesuffix("{")
    if name == "scf.for":
        text = text[: text.rindex(" : ")] if " : " in text else text
    types = split_types(_after(text, "->") or _after(text, " to ") or _after(text, " : "))
    # Results of one type may print it once.
    return (types * count if len(types) == 1 else types or [""] * count)[:count]


def _after(text: str, mark: str) -> str:
    return text[text.rindex(mark) + len(mark) :].strip() if mark in text else ""


def split_types(text: str) -> list[str]:
    """``(i32, tensor<2x2xf32>)`` or ``i32, f32``: split at the commas between types."""
    text = text.strip()
    if text.startswith("("):
        text = text[1 : text.rindex(")")]
    out: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif character in ">)]}" and text[position - 1] != "-":
            depth -= 1
        elif character == "," and not depth:
            out.append(text[start:position].strip())
            start = position + 1
    return [*out, text[start:].strip()] if text else []


_POINTER = re.compile(r"!tt\.ptr<([^<>,]*)(?:, \d+)?>")


def pointee(kind: str) -> str:
    """What a load through this type gives: ``tensor<8x!tt.ptr<f32>>`` -> ``tensor<8xf32>``."""
    start = kind.find("!tt.ptr<")
    simple = _POINTER.search(kind)
    if simple is not None and simple.start() == start:
        return f"{kind[:start]}{simple[1]}{kind[simple.end() :]}"
    if start < 0:
        return kind
    depth, end = 0, len(kind)
    for position in range(start, len(kind)):
        depth += {"<": 1, ">": -1}.get(kind[position], 0)
        if kind[position] == ">" and depth == 0:
            end = position
            break
    return kind[:start] + split_types(kind[start + 8 : end])[0] + kind[end + 1 :]


def _first(text: str) -> str:
    return split_types(_after(text, " : "))[0]


def _last(text: str) -> str:
    return split_types(_after(text, " : "))[-1]


_ELEMENT = re.compile(r"(tensor<(?:\d+x)*)(?:[^<,]|<[^<>]*>)*((?:, .*)?>)$")


def _truth(text: str) -> str:
    kind = _first(text)
    return _ELEMENT.sub(r"\1i1\2", kind) if kind.startswith("tensor") else "i1"


def _constant_type(text: str) -> str:
    return "i1" if text.strip() in ("true", "false") else _last(text)


_HELD = re.compile(r"tensor<(?:\d+x)*((?:[^<,]|<[^<>]*>)*)(?:, .*)?>$")


def _held(text: str) -> str:
    """The type of the one element of a block."""
    return _HELD.sub(r"\1", _first(text))


_TYPES: dict[str, Callable[[str], str]] = {
    "tt.unsplat": _held,
    "arith.cmpi": _truth,
    "arith.cmpf": _truth,
    "arith.constant": _constant_type,
    "arith.select": _last,
    "tt.addptr": _first,
    "tt.load": lambda text: pointee(_first(text)),
    "tt.make_tensor_ptr": lambda text: f"!tt.ptr{_last(text)}",
    "tt.advance": lambda text: f"!tt.ptr{_last(text)}",
    "tt.make_tensor_descriptor": lambda text: f"!tt.tensordesc{_last(text)}",
}
"""Where the printed type is not the result's."""

UNNAMED = {"tt.make_tensor_ptr", "tt.advance", "tt.make_tensor_descriptor"}
"""These print what is in their type, not its name."""
