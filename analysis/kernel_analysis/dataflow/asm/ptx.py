"""The text of an inline assembly -> statements with their registers resolved through ``{ }`` scopes.

Knows PTX's grammar and LLVM's ``$N`` escapes, no instruction. Never raises: what can't be read is a statement that says
so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kernel_analysis.dataflow.asm.instructions import SPACES
from kernel_analysis.record import record

# What $N becomes before parsing, so that a `$` that belongs to the assembly ($$) stays apart from it.
_PLACE = re.compile(r"\x01([0-9]+)\x01")
_ESCAPE = re.compile(
    r"\$(?:(?P<dollar>\$)|(?P<plain>[0-9]{1,6})|\{(?P<braced>[0-9]{1,6})(?::[^}$]*)?\}|\{:(?P<word>\w+)\})"
)
_COMMENT = re.compile(r'("[^"\n]*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)

_NAME = r"(?:\x01\d+\x01|\$[\w$]+|[%A-Za-z_][\w$%]*)"
_LABEL = re.compile(rf"({_NAME})\s*:(?!:)")
_GUARD = re.compile(rf"@\s*(?:!\s*)?({_NAME})\s*")
_MNEMONIC = re.compile(r"([A-Za-z_]\w*(?:\s*\.\s*[\w:]+)*)\s*")
_IDENTIFIER = re.compile(rf"(\x01\d+\x01|(?<![\w$%.]){_NAME})")
_REGISTER = re.compile(rf"!?\s*(?:-\s*)?({_NAME})(?:\.[xyzwrgba]|\.[bh][0-3])?\s*\Z")
_NUMBER = re.compile(r"[-+~!(\s]*\d[\w.]*(?:[-+]\d+)?[\s)]*\Z|[-+~!(\s]*\d[\s\w.()*+\-/~<>&|^]*\Z")
_ADDRESS = re.compile(
    rf"\s*(?:{_NAME}|[-+]?\d\w*)(?:\s*\[\s*\w+\s*\]|\s*[-+]\s*(?:{_NAME}|(?:[-+]\s*)?\d\w*|\([^()]*\)))*\s*\Z"
)
_VARIABLE = re.compile(rf"({_NAME})\s*(?:<\s*([0-9]{{1,9}})\s*>)?")
_DIRECTIVE = re.compile(r"\.(\w+)")

_SPECIAL = re.compile(
    r"%(?:n?tid|laneid|n?warpid|n?ctaid|n?smid|gridid|is_explicit_cluster|n?clusterid|cluster_n?ctaid|cluster_n?ctarank"
    r"|lanemask_(?:eq|le|lt|ge|gt)|clock(?:_hi|64)?|pm\d+(?:_64)?|envreg\d+|globaltimer(?:_lo|_hi)?|\w*_smem_size|reserved_smem_offset_\w+"
    r"|current_graph_exec)\Z|WARP_SZ\Z"
)

OWN = "own"  # the key of any variable that the assembly declares itself
MAX_SHOWN = 160
_DEEPEST = 50
"""Scopes in each other; what stands deeper is one statement that can't be read."""


@record
class Operand:
    """``names``: keys of the registers that it reads or writes (of an ``[address]``: those that the address is made
    of); ``coordinates``: the rest of what stands in the brackets."""

    memory: bool
    names: tuple[str, ...]
    coordinates: tuple[str, ...] = ()


@record
class Statement:
    """One instruction. ``parts``: its mnemonic at the dots. ``readable``: the operands could be told apart.
    ``guard``: what decides whether it happens."""

    text: str
    parts: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicated: bool
    readable: bool
    target: str | None = None
    guard: tuple[str, ...] = ()


@dataclass(slots=True)
class Program:
    """Instructions in order; ``labels``: the statement that each label stands before."""

    statements: list[Statement] = field(default_factory=list[Statement])
    labels: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True)
class _Scope:
    id: int
    names: dict[str, str] = field(default_factory=dict[str, str])
    ranges: dict[str, int] = field(default_factory=dict[str, int])
    labels: dict[str, str] = field(default_factory=dict[str, str])


def place_key(number: int) -> str:
    """The key of the register ``$N``; a name that the assembly declares itself may be ``$N``, too."""
    return f"\x01{number}"


def place_of(key: str) -> int | None:
    """The number of ``$N``; None for a register of the assembly's own."""
    return int(key[1:]) if key.startswith("\x01") else None


def unescape(asm: str) -> str:
    """LLVM's escapes resolved: ``$1``, ``${1}``, ``${1:x}`` become places, ``$$`` a dollar, ``${:uid}`` a word."""

    def replace(match: re.Match[str]) -> str:
        if match["dollar"]:
            return "$"
        if match["word"]:
            return {"uid": "0", "comment": "//"}.get(match["word"], "")
        return f"\x01{int(match['plain'] or match['braced'])}\x01"

    return _ESCAPE.sub(replace, asm.replace("\x01", " "))


def shown(text: str) -> str:
    """A statement for people: places as ``$N``, on one line, not endless."""
    line = " ".join(_PLACE.sub(r"$\1", text).split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"


def parse(text: str, memory: frozenset[int] = frozenset()) -> Program:
    """``text`` is unescaped. ``memory``: the places that the compiler prints as ``[address]``."""
    return _Parser(_COMMENT.sub(lambda found: found[1] or " ", text), memory).run()


class _Parser:
    def __init__(self, text: str, memory: frozenset[int]) -> None:
        self.text = text
        self.memory = memory
        self.program = Program()
        self.scopes = [_Scope(0)]
        self.made = 1
        # A branch may go to a label further down, so its target is resolved when its scope is closed.
        self.branches: list[tuple[int, str, tuple[_Scope, ...]]] = []

    def run(self) -> Program:
        at, text = 0, self.text
        while at < len(text):
            char = text[at]
            if char.isspace() or char == ";":
                at += 1
            elif char == "{" and len(self.scopes) > _DEEPEST:
                self.statement(text[at:])  # starts with no mnemonic
                break
            elif char == "{":
                self.scopes.append(_Scope(self.made))
                self.made += 1
                at += 1
            elif char == "}":
                if len(self.scopes) > 1:
                    self.scopes.pop()
                at += 1
            elif label := _LABEL.match(text, at):
                key = f"{label[1]}@{self.scopes[-1].id}"
                self.scopes[-1].labels[label[1]] = key
                self.program.labels[key] = len(self.program.statements)
                at = label.end()
            else:
                end = self.end_of_statement(at)
                self.statement(text[at:end].strip())
                at = end
        for index, name, scopes in self.branches:
            key = next((scope.labels[name] for scope in reversed(scopes) if name in scope.labels), None)
            old = self.program.statements[index]
            self.program.statements[index] = Statement(
                old.text, old.parts, old.operands, old.predicated, old.readable, key, old.guard
            )
        return self.program

    def end_of_statement(self, at: int) -> int:
        """A ``;``, or a brace that was not opened in the statement. PTX wants the ``;``, people forget the last."""
        depth = 0
        for match in re.compile(r'[;{}]|"[^"\n]*"').finditer(self.text, at):
            if match[0] == "{":
                depth += 1
            elif match[0] == ";" or (match[0] == "}" and depth == 0):
                return match.start()
            elif match[0] == "}":
                depth -= 1
        return len(self.text)

    def statement(self, text: str) -> None:
        if text.startswith("."):
            self.directive(text)
            return
        guard = _GUARD.match(text)
        body = text[guard.end() :] if guard else text
        head = _MNEMONIC.match(body)
        rest = body[head.end() :] if head else body
        parts = tuple(re.split(r"\s*\.\s*", head[1].strip())) if head else ()
        operands, readable = self.operands(rest)
        index = len(self.program.statements)
        guards = self.names(guard[1]) if guard else ()
        made = Statement(shown(text), parts, operands, guard is not None, readable, guard=guards)
        self.program.statements.append(made)
        if parts and parts[0] == "bra":
            self.branches.append((index, rest.strip(), tuple(self.scopes)))

    def directive(self, text: str) -> None:
        """``.reg .b32 a<4>, b;`` and variables in a state space; others (``.pragma``, ``.loc``) declare nothing."""
        head = _DIRECTIVE.match(text)
        if head is None or head[1] not in ("reg", *SPACES):
            return
        kind = head[1]
        rest = re.sub(r"\.align\s+\d+|\.[\w:]+", " ", text[head.end() :])
        rest = re.sub(r"\[[^\[\]]*\]|=\s*(?:\{[^{}]*\}|[^,]*)", " ", rest)
        scope = self.scopes[-1]
        for match in _VARIABLE.finditer(rest):
            key = f"{match[1]}@{scope.id}" if kind == "reg" else OWN
            if match[2] is not None and kind == "reg":
                scope.ranges[match[1]] = int(match[2])
            else:
                scope.names[match[1]] = key

    def operands(self, text: str) -> tuple[tuple[Operand, ...], bool]:
        readable = True
        found: list[Operand] = []
        for piece in _split(text):
            operand = self.operand(piece)
            if operand is None:
                readable = False
                operand = Operand("[" in piece, self.names(piece))
            found.append(operand)
        return tuple(found), readable

    def operand(self, piece: str) -> Operand | None:
        """None: it can't be read."""
        piece = piece.strip()
        if piece.startswith("[") and piece.endswith("]"):
            address, *rest = _split(piece[1:-1]) or [""]
            if not _ADDRESS.match(address):
                return None
            return Operand(True, self.names(address), self.names(",".join(rest)))
        if (place := _PLACE.fullmatch(piece)) and int(place[1]) in self.memory:
            return Operand(True, self.names(piece))
        if _NUMBER.match(piece):
            return Operand(False, ())
        if piece.startswith(("{", "(")) and piece.endswith(("}", ")")):
            parts = _split(piece[1:-1])
        else:
            parts = piece.split("|")
        # `buffer+16`, a symbol with an offset, may stand as a value too.
        if all(_REGISTER.match(part.strip()) or _NUMBER.match(part) or _ADDRESS.match(part) for part in parts):
            return Operand(False, self.names(piece))
        return None

    def names(self, text: str) -> tuple[str, ...]:
        return tuple(key for match in _IDENTIFIER.finditer(text) if (key := self.resolve(match[1])) is not None)

    def resolve(self, name: str) -> str | None:
        """The key of a register; None for what holds no address (``_``, a special register)."""
        if place := _PLACE.fullmatch(name):
            return place_key(int(place[1]))
        for scope in reversed(self.scopes):
            if name in scope.names:
                return scope.names[name]
            # `r12` may be the twelfth of `r<20>` or the second of `r1<3>`.
            for cut in range(max(len(name.rstrip("0123456789")), len(name) - 9), len(name)) if scope.ranges else ():
                if int(name[cut:]) < scope.ranges.get(name[:cut], 0):
                    return f"{name}@{scope.id}"
        if name == "_" or _SPECIAL.match(name):
            return None
        return f"?{name}"


def _split(text: str) -> list[str]:
    """At commas outside brackets."""
    pieces: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth <= 0:
            pieces.append(text[start:at])
            start = at + 1
    if text[start:].strip() or pieces:
        pieces.append(text[start:])
    return pieces
