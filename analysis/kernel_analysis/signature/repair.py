"""Better guesses after a compile failed: what the message and the place say about the parameters that were only guessed.

Never touches a parameter whose evidence is certain: an error that these cause is the user's to see.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, TypeVar

from kernel_analysis.facts import Problem
from kernel_analysis.ir import At
from kernel_analysis.signature import coverage, spelling
from kernel_analysis.signature.choose import EXTENT, FLOAT32, Known, guess, same
from kernel_analysis.signature.model import Evidence, ParameterType, Signature
from kernel_analysis.signature.uses import parameters, uses
from kernel_analysis.signature.values import UNKNOWN, Clue, Value
from kernel_analysis.signature.walk import Walk
from kernel_analysis.source.slice import Slice, TritonObject

T = TypeVar("T")
TRIES: Final = 8

Change = dict[str, tuple[ParameterType, Any]]
"""New types, with the value where the type is ``constexpr``."""

_FLOATS: Final = ("fp32", "fp16", "bf16")
_POINTEES: Final = ("i32", "fp32", "i64", "fp16", "i8", "u8", "bf16", "i1", "fp8e4nv")
_EXTENTS: Final = (64, 16, 128, 32, 256, 1, 8, 2, 1024)


def alternatives(slice: Slice, signature: Signature, problem: Problem) -> list[Signature]:
    """Other signatures worth a try, the likeliest first; none when nothing that was guessed has a part in the problem."""
    found: list[Signature] = []
    for change in _Doctor(slice, signature, problem).changes():
        if not change:
            continue
        other = _changed(signature, change)
        if all(other.types != s.types or not same_constants(other, s) for s in (signature, *found)):
            found.append(other)
    return found


def same_constants(a: Signature, b: Signature) -> bool:
    """Whether the compile-time values are the same; ``True`` is not ``1`` here."""
    return a.constants.keys() == b.constants.keys() and all(same(v, b.constants[k]) for k, v in a.constants.items())


def repaired(slice: Slice, signature: Signature, problem: Problem, lower: Callable[[Signature], T | Problem]) -> tuple[Signature, T] | None:
    """Try alternatives, and alternatives of those that come further, until one compiles or ``TRIES`` are spent."""
    seen = [signature]
    queue: list[tuple[int, Signature, Problem]] = [(0, signature, problem)]
    tries = 0
    while queue and tries < TRIES:
        depth, base, why = queue.pop(0)
        for other in alternatives(slice, base, why):
            if any(other.types == s.types and same_constants(other, s) for s in seen):
                continue
            seen.append(other)
            tries += 1
            result = lower(other)
            if not isinstance(result, Problem):
                return other, result
            if (result.at, result.chain) != (why.at, why.chain) or _gist(result) != _gist(why):
                # Another error: this guess was right as far as it went.
                queue.insert(0, (depth + 1, other, result))
                break
            if tries >= TRIES:
                break
        else:
            continue
        queue.append((depth, base, why))
    return None


def _gist(problem: Problem) -> str:
    return re.sub(r"[\d\[\]<>'`\"]+", "", problem.message)


def _changed(signature: Signature, change: Change) -> Signature:
    kinds, constants, evidence = dict(signature.types), dict(signature.constants), dict(signature.evidence)
    for path, (type, value) in change.items():
        name, _, index = path.partition("[")
        if index and isinstance(kinds[name], tuple):
            parts = list(kinds[name])
            parts[int(index[:-1])] = type
            kinds[name] = tuple(parts)
        else:
            kinds[name] = type
        constants.pop(path, None)
        if type == "constexpr":
            constants[path] = value
        before = evidence[name]
        evidence[name] = Evidence("assumed", "other guesses do not compile", False, before.line)
    return Signature(kinds, constants, evidence)


@dataclass(slots=True)
class _Doctor:
    """Proposes changes for one failure."""

    slice: Slice
    signature: Signature
    problem: Problem

    def changes(self) -> Iterator[Change]:
        message = self.problem.message
        seen = uses(self.slice)
        walk = Walk(self.slice, trace=True)
        walk.run(spelling.arguments(self.signature))
        suspects = self.suspects(walk)
        # The flags around the place come in early: what is wrong may be which branch is compiled.
        remedies = chain.from_iterable(
            remedy(self, walk, seen, suspects, match)
            for pattern, remedy in _REMEDIES
            if (match := re.search(pattern, message)) is not None
        )
        yield from islice(remedies, 3)
        yield from self.flags(walk)
        yield from remedies
        for name in suspects:
            yield from self.rotate(name, seen.clues.get(name, Clue()))

    # Who

    def nodes(self) -> Iterator[ast.AST]:
        """The failing node, then the calls that led to it, innermost first."""
        for at in (self.problem.at, *reversed(self.problem.chain)):
            node = self.node(at)
            if node is not None:
                yield node

    def node(self, at: At) -> ast.AST | None:
        if 0 <= at.function < len(self.slice.functions) and at.node < len(self.slice.functions[at.function].nodes):
            return self.slice.functions[at.function].nodes[at.node]
        return None

    def free(self, path: str) -> bool:
        """Whether the parameter was guessed."""
        name = path.partition("[")[0]
        evidence = self.signature.evidence.get(name)
        return evidence is not None and not evidence.certain

    def suspects(self, walk: Walk) -> list[str]:
        """The guessed parameters that have a part in what failed, the nearest first; without a place all of them."""
        found: dict[str, None] = {}
        for node in self.nodes():
            for part in _parts(node):
                for value in (walk.trace or {}).get(part, ()):
                    for path in _paths(value):
                        found[path] = None
        if not found:
            found = dict.fromkeys(a.arg for a in parameters(self.slice.functions[0].node))
        return [p for p in found if self.free(p)]

    def type(self, path: str) -> ParameterType:
        """The present type of a parameter or element."""
        name, _, index = path.partition("[")
        kind = self.signature.types[name]
        if index and isinstance(kind, tuple):
            at = int(index[:-1])
            return kind[at] if at < len(kind) else "i32"
        return kind

    # What

    def launched_tensor(self, path: str) -> bool:
        """A launch was seen to pass a tensor: only its dtype is a guess."""
        return self.signature.evidence[path.partition("[")[0]].kind in ("launch", "annotation")

    def rotate(self, path: str, clue: Clue) -> Iterator[Change]:
        """The other types or values of one parameter."""
        now = self.type(path)
        if isinstance(now, tuple):
            return
        if now == "constexpr":
            for value in self.values(path, clue):
                yield {path: ("constexpr", value)}
        elif now.startswith("*"):
            for dtype in _POINTEES:
                yield {path: (f"*{dtype}", None)}
            if not self.launched_tensor(path):
                yield {path: ("i32", None)}
        elif now.startswith("tensordesc"):
            for dtype in ("fp16", "fp32", "bf16", "i8", "i32"):
                yield {path: (re.sub(r"<\w+", f"<{dtype}", now), None)}
            for extent in (16, 32, 128):
                yield {path: (re.sub(r"\d+(?=[,\]])", str(extent), now), None)}
        else:
            block = now[now.index("[") :] if "[" in now else ""
            head = now.partition("[")[0]
            for dtype in ("fp32", "i32", "fp16", "i64", "i1"):
                if dtype != head:
                    yield {path: (dtype + block, None)}
            if not self.launched_tensor(path):
                if not clue.weight("number"):
                    # Arithmetic on a pointer can crash the compiler.
                    yield {path: ("*fp32", None)}
                yield {path: ("constexpr", EXTENT)}

    def values(self, path: str, clue: Clue) -> Iterator[Any]:
        """Other values of a compile-time parameter."""
        now = self.signature.constants.get(path)
        if isinstance(now, bool):
            yield not now
        for value, _, _ in guess(Known(path, None, None, clue=clue), None):
            yield value
        if isinstance(now, int) and not isinstance(now, bool):
            yield from _EXTENTS
        if isinstance(now, TritonObject):
            for name in ("float16", "bfloat16", "int32", "float32"):
                yield TritonObject(f"triton.language.{name}")
        if now is not None and clue.weight("none"):
            yield None

    def flags(self, walk: Walk) -> Iterator[Change]:
        """Turn the compile-time tests around the failing place, so that it is not reached."""
        inner = self.problem.at
        for at in (inner, *reversed(self.problem.chain)):
            node = self.node(at)
            if node is None:
                continue
            for branch in reversed(walk.branches):
                if branch.function == at.function and branch.taken is not None and _around(branch.test, node, self.slice, at.function):
                    demand = coverage.demands(self.slice, branch, not branch.taken)
                    if demand and all(self.free(n) and self.type(n) == "constexpr" for n in demand):
                        yield {n: ("constexpr", v) for n, v in demand.items()}

    def numbers(self, names: Iterable[str]) -> list[str]:
        """Those that are compile-time integers."""
        return [n for n in names if self.type(n) == "constexpr" and type(self.signature.constants.get(n)) is int]

    def pointers(self, names: Iterable[str]) -> list[str]:
        """Those that are pointers or blocks of numbers."""
        return [n for n in names if isinstance(k := self.type(n), str) and (k.startswith(("*", "tensordesc")) or "[" in k)]

    def with_dtype(self, path: str, dtype: str) -> tuple[ParameterType, Any]:
        """The type of a parameter with another dtype."""
        now = self.type(path)
        assert isinstance(now, str)
        if now.startswith("tensordesc"):
            return re.sub(r"<\w+", f"<{dtype}", now), None
        if now.startswith("*"):
            return f"*{dtype}", None
        return re.sub(r"^\w+", dtype, now), None

    def everyone(self) -> list[str]:
        """Every guessed parameter."""
        return [n for n in self.signature.types if self.free(n)]


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The node's expressions; of a compound statement only its head."""
    if isinstance(node, (ast.For, ast.While, ast.If)):
        head = node.iter if isinstance(node, ast.For) else node.test
        yield from ast.walk(head)
        if isinstance(node, (ast.For, ast.While)):
            for statement in node.body:
                yield from ast.walk(statement)
    elif not isinstance(node, ast.FunctionDef):
        yield from ast.walk(node)


def _paths(value: Value) -> Iterator[str]:
    for origin in value.origins:
        yield origin.path
    for item in value.items or ():
        yield from _paths(item)
    for dim in (*(value.shape or ()), *(value.block or ())):
        if isinstance(dim, str):
            yield dim


def _around(test: ast.expr, node: ast.AST, slice: Slice, function: int) -> bool:
    """Whether the test is one of an ``if`` around the node."""
    for statement in ast.walk(slice.functions[function].node):
        if isinstance(statement, (ast.If, ast.IfExp)) and statement.test is test:
            return statement is node or any(n is node for n in ast.walk(statement))
    return False


# Remedies by message: the likeliest change first.


def _dtypes(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """Two dtypes differ that must be one: give the guessed side the other's, then all floats one dtype."""
    named = [d for d in re.findall(r"\b(fp32|fp16|bf16|fp64|i(?:nt)?(?:8|16|32|64)|u(?:int)?8|fp8e\w+)\b", doctor.problem.message)]
    wanted = list(dict.fromkeys(d.replace("uint", "u").replace("int", "i") for d in named))
    pointers = doctor.pointers(suspects)
    if "i32" in wanted and any(seen.clues.get(n, Clue()).weight("dot", 1) for n in pointers):
        # The dot product of bytes is an int32.
        yield {n: doctor.with_dtype(n, "i8") for n in pointers if seen.clues.get(n, Clue()).weight("dot", 1)}
    for dtype in wanted:
        for name in pointers:
            yield {name: doctor.with_dtype(name, dtype)}
        if len(pointers) > 1:
            yield {name: doctor.with_dtype(name, dtype) for name in pointers}
    floats = [n for n in doctor.pointers(doctor.everyone()) if re.search(r"fp32|fp16|bf16", str(doctor.type(n)))]
    for dtype in (*wanted, "fp16", "bf16"):
        if dtype in ("fp32", "fp16", "bf16"):
            yield {n: doctor.with_dtype(n, dtype) for n in floats}


def _integers(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A float stands where an integer must."""
    floats = [n for n in suspects if isinstance(k := doctor.type(n), str) and re.search(r"fp|bf", k)]
    for dtype in ("i32", "i1", "i8"):
        for name in floats:
            yield {name: doctor.with_dtype(name, dtype)}
        if len(floats) > 1:
            yield {name: doctor.with_dtype(name, dtype) for name in floats}
    for name in suspects:
        if doctor.type(name) == "constexpr" and isinstance(doctor.signature.constants.get(name), float):
            yield {name: ("constexpr", 1)}


def _wider(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A number does not fit."""
    narrow = [n for n in suspects if isinstance(k := doctor.type(n), str) and "i32" in k]
    if narrow:
        yield {name: doctor.with_dtype(name, "i64") for name in narrow}


def _no_pointer(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A pointer stands where a number must: what was taken for one by its name is none."""
    for name in suspects:
        kind = doctor.type(name)
        if isinstance(kind, str) and kind.startswith("*") and not doctor.launched_tensor(name):
            weight = seen.clues.get(name, Clue()).weight("pointer")
            if weight < 5:
                yield {name: ("fp32" if doctor.signature.evidence[name].kind == "name" else "i32", None)}


def _floats(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """An integer stands where a float must."""
    integers = [n for n in suspects if isinstance(k := doctor.type(n), str) and re.search(r"\b[iu]\d", k)]
    for name in integers:
        yield {name: doctor.with_dtype(name, "fp32")}
    if len(integers) > 1:
        yield {name: doctor.with_dtype(name, "fp32") for name in integers}
    for name in doctor.numbers(suspects):
        yield {name: ("constexpr", 1.0)}


def _extents(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A block's extents do not fit: make them all one, then other powers of two."""
    numbers = doctor.numbers(suspects)
    named = [int(n) for n in re.findall(r"\b\d+\b", doctor.problem.message)]
    powers = [n for n in dict.fromkeys(named) if n > 0 and n & (n - 1) == 0]
    larger = re.search(r"greater than|must be a power", doctor.problem.message) is not None
    for extent in (*powers, *((128, 512, 1024, 16) if larger else _EXTENTS)):
        if len(numbers) > 1 and larger:
            yield {name: ("constexpr", extent) for name in numbers}
        for name in numbers:
            yield {name: ("constexpr", extent)}
        if len(numbers) > 1:
            yield {name: ("constexpr", extent) for name in numbers}
    everyone = doctor.numbers(doctor.everyone())
    for extent in (*powers, 128, 16):
        yield {name: ("constexpr", extent) for name in everyone}


def _smaller(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A block is too large."""
    numbers = doctor.numbers(suspects) or doctor.numbers(doctor.everyone())
    for extent in (16, 32, 8, 2):
        yield {name: ("constexpr", min(extent, doctor.signature.constants[name])) for name in numbers}
    everyone = doctor.numbers(doctor.everyone())
    for extent in (16, 8):
        yield {name: ("constexpr", min(extent, doctor.signature.constants[name])) for name in everyone}


def _compile_time(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A value must be known at compile time."""
    for name in suspects:
        if isinstance(k := doctor.type(name), str) and re.fullmatch(r"i32|i64|fp32", k):
            yield {name: ("constexpr", EXTENT)}


def _undefined(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A name is only assigned under a test that went the other way."""
    name = match.group(1)
    for branch in walk.branches:
        if branch.taken is None:
            continue
        for statement in ast.walk(doctor.slice.functions[branch.function].node):
            if isinstance(statement, ast.If) and statement.test is branch.test:
                untaken = statement.orelse if branch.taken else statement.body
                if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for s in untaken for n in ast.walk(s)):
                    demand = coverage.demands(doctor.slice, branch, not branch.taken)
                    if demand and all(doctor.free(n) and doctor.type(n) == "constexpr" for n in demand):
                        yield {n: ("constexpr", v) for n, v in demand.items()}


def _address(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A number is used as an address."""
    for name in doctor.pointers(suspects):
        if (clue := seen.clues.get(name)) is not None and clue.weight("number") and not doctor.launched_tensor(name):
            yield {name: ("i32", None)}
    for name in suspects:
        clue = seen.clues.get(name, Clue())
        if isinstance(k := doctor.type(name), str) and re.fullmatch(r"i32|i64|fp32", k) and not doctor.launched_tensor(name):
            if not clue.weight("number"):
                yield {name: ("*fp32", None)}


def _asserted(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A ``tl.static_assert`` fails."""
    for failing in walk.asserts:
        if failing.taken is False:
            demand = {n: v for n, v in coverage.demands(doctor.slice, failing, True).items() if doctor.free(n)}
            yield {n: ("constexpr", v) for n, v in demand.items() if doctor.type(n) == "constexpr"}
    yield from _extents(doctor, walk, seen, suspects, match)


def _block(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A scalar stands where a block must, or a block of another rank."""
    for name in suspects:
        kind = doctor.type(name)
        if isinstance(kind, str) and kind != "constexpr" and not kind.startswith("tensordesc"):
            head, _, block = kind.partition("[")
            rank = block.count(",") + 1 if block else 0
            for other in (1, 2, 0, 3):
                if other != rank:
                    yield {name: (head + (f"[{', '.join([str(EXTENT)] * other)}]" if other else ""), None)}
    blocks = [n for n in suspects if isinstance(k := doctor.type(n), str) and k != "constexpr" and not k.startswith("tensordesc")]
    for shape in (f"[{EXTENT}]", f"[{EXTENT}, {EXTENT}]"):
        yield {n: (str(doctor.type(n)).partition("[")[0] + shape, None) for n in blocks}


def _dtype_value(doctor: _Doctor, walk: Walk, seen: Walk, suspects: list[str], match: re.Match[str]) -> Iterator[Change]:
    """A dtype is wanted."""
    for name in suspects:
        if doctor.type(name) in ("constexpr", "i32") and not isinstance(doctor.signature.constants.get(name, UNKNOWN), TritonObject):
            yield {name: ("constexpr", FLOAT32)}


_REMEDIES: Final[list[tuple[str, Callable[[_Doctor, Walk, Walk, list[str], re.Match[str]], Iterator[Change]]]]] = [
    (r"(?:name )?[`']?(\w+)[`']? is not defined", _undefined),
    (r"out of range for type", _wider),
    (r"static_?assert|[Aa]ssertion", _asserted),
    (r"maximum tensor numel|exceeds", _smaller),
    (r"same dtype|re-assigned|Mismatched type|has initial type|initial value|[Bb]itcast|dtypes? (?:must|mismatch)|Unsupported (?:lhs|rhs) dtype|fp8|float8", _dtypes),
    (r"pointer<|pointer_type", _no_pointer),
    (r"numel|has no attribute 'shape'|too many indices", _block),
    (r"ptr type|pointer|base address", _address),
    (r"unexpected type|invalid operands of type.*(?:float|fp|bf)|must be int|[Ee]xpected.*int|integer|scalar_ty.is_int|mask", _integers),
    (r"Expected dtype|floating|must be float", _floats),
    (r"power of (?:2|two)|[Ss]hape|dimension|broadcast|Input shapes|number of elements|rank|incompatible|K >= |greater than the start|compatible", _extents),
    (r"constexpr|compile.time", _compile_time),
    (r"rank|axis|block|dimension|scalar|subscript|expand|shape|index out of range|is_block|reduce", _block),
    (r"dtype|to_ir|primitive_bitwidth|element_ty", _dtype_value),
]
