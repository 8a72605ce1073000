"""Reads the ``#:`` comments of a block: what is claimed about each jit function in it. README.md has the notation.

An unknown word in such a comment is an error, so that a misspelt claim can't pass for a checked one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

Site: TypeAlias = tuple[str, str, int, tuple[str, ...]]
"""A fact, the parameter, the line in the function, and the names of the helpers on the way."""

FACTS = ("read", "written", "table_read", "table_written")
_DEF = re.compile(r"^(?P<indent>\s*)(?:async\s+)?def (?P<name>\w+)\(")
_COMMENT = re.compile(r"^(?P<code>.*?)#:(?P<claims>.*)$")
_FINDING = re.compile(r"^\[(?P<code>[\w-]+)(?: (?P<severity>error|warning|information|hint))?\](?: (?P<message>.*))?$")
_VALUE = re.compile(r"^(?P<name>\w+): (?P<type>\S.*)$")
_EFFECT = re.compile(r"^(?P<may>may )?(?P<verb>reads?|writes?)(?P<through> through)? (?P<names>[\w.\[\], ]+)$")
_FLAG = re.compile(r"^(?P<flag>masked|uniform|read-first|write-first|warns|silent): (?P<names>[\w.\[\], ]+)$")
_SITE = re.compile(
    r"^(?P<verb>reads|writes)(?P<through> through)? (?P<names>[\w.\[\], ]+?)"
    r"(?: via (?P<via>[\w> ]+?))?(?: when (?P<when>.+))?$"
)


@dataclass(slots=True)
class Function:
    """The claims about one jit function. ``facts``: (parameter, fact) -> yes or unknown; what isn't there is no."""

    name: str
    line: int
    head_end: int = 0
    status: str = "analyzed"
    facts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    flags: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    sites: set[Site] = field(default_factory=set[Site])
    conditions: dict[Site, str | None] = field(default_factory=dict["Site", "str | None"])
    values: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    recursion: tuple[str, ...] = ()
    claimed: bool = False

    def verdict(self, parameter: str, fact: str) -> str:
        return self.facts.get((parameter, fact), "no")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding that must be there: code, severity if it was said, and a part of the message."""

    line: int
    code: str
    severity: str | None
    message: str


@dataclass(slots=True)
class Expected:
    functions: list[Function]
    findings: list[Finding]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _fact(verb: str, through: bool) -> str:
    fact = "read" if verb.startswith("read") else "written"
    return f"table_{fact}" if through else fact


def _head(function: Function, claim: str) -> bool:
    """Takes a claim that stands in a function's head; False: it is no such claim."""
    if effect := _EFFECT.match(claim):
        for name in _names(effect["names"]):
            function.facts[name, _fact(effect["verb"], bool(effect["through"]))] = "unknown" if effect["may"] else "yes"
    elif flag := _FLAG.match(claim):
        function.flags.setdefault(flag["flag"], set()).update(_names(flag["names"]))
    elif claim in ("partial", "failed"):
        function.status = claim
    elif claim.startswith("recursion "):
        function.recursion = tuple(name.strip() for name in claim.removeprefix("recursion ").split("->"))
    elif claim != "nothing":
        return False
    function.claimed = True
    return True


def _body(function: Function, claim: str, line: int) -> bool:
    """Takes a claim about one line of a function's body; False: it is no such claim."""
    if site := _SITE.match(claim):
        via = tuple(name.strip() for name in (site["via"] or "").split(">") if name.strip())
        for name in _names(site["names"]):
            claimed = (_fact(site["verb"], bool(site["through"])), name, line, via)
            function.sites.add(claimed)
            function.conditions[claimed] = site["when"]
    elif value := _VALUE.match(claim):
        function.values.append((line, value["name"], value["type"]))
    else:
        return False
    return True


def parse(source: str) -> Expected:
    """The claims of a block. Raises ValueError with the line on a claim that it doesn't understand."""
    expected = Expected([], [])
    function: Function | None = None
    open_brackets, in_head, line = 0, False, 0
    for number, text in enumerate(source.splitlines(), 1):
        comment = _COMMENT.match(text)
        code = comment["code"] if comment else text.split("  # ")[0]
        if not (comment and not code.strip()):
            line = number  # a comment alone on its line speaks of the line above
            if found := _DEF.match(code):
                function, in_head, open_brackets = Function(found["name"], number), True, 0
                expected.functions.append(function)
            elif open_brackets == 0 and code.strip():
                in_head = False
            if in_head and function is not None:
                function.head_end = number
                open_brackets += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if not comment:
            continue
        for claim in (part.strip() for part in comment["claims"].split(";")):
            if finding := _FINDING.match(claim):
                expected.findings.append(
                    Finding(line, finding["code"], finding["severity"], (finding["message"] or "").strip())
                )
            elif function is None or not (in_head and _head(function, claim) or _body(function, claim, line)):
                raise ValueError(f"line {number}: I don't understand the claim {claim!r}")
    expected.functions = [function for function in expected.functions if function.claimed]
    return expected
