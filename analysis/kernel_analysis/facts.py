"""What the analysis found out about one jit function under one or more signatures. Plain data, JSON-able.

Places are ``At`` (slice function, node ordinal); ``report`` turns them into spans of the text shown now.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from kernel_analysis.ir import Assigned, At
from kernel_analysis.record import record

Verdict: TypeAlias = Literal["yes", "no", "unknown"]

Topic: TypeAlias = Literal[
    "undefined", "out-of-reach", "static-assertion", "assertion", "too-long", "compile-time", "number-too-wide",
    "integer-widths", "becomes-pointer", "dtype", "dtype-called", "dtype-wanted", "two-dtypes", "refused-dtype",
    "unsupported-dtype", "integer-to-fp8", "defined-twice",
    "too-many-elements", "block-too-large", "block-too-small", "block-wanted", "scalar-wanted", "too-few-elements",
    "element-count", "extents", "rank", "address-space", "scale-factor", "none", "removed",
    "pointer-to-pointer", "pointer-type", "single-pointer", "address", "operand-types", "integer-wanted", "loop-bounds",
    "float-wanted", "refused-integers", "refused-floats", "layout", "target", "backend", "no-backend",
]  # fmt: skip
"""What a message of the compiler is about; mostly several at once."""


class Site(NamedTuple):
    """One operation that reads or writes. ``path``: the call nodes that lead there, outermost first; empty in the
    function itself.

    ``at`` is the operation in the innermost function that is the user's (for Triton's own helpers: the call of
    them)."""

    op: str
    at: At
    path: tuple[At, ...] = ()
    masked: bool = False


class UnknownVerdict(NamedTuple):
    """Why a verdict is unknown, in plain words, and where."""

    reason: str
    at: At
    path: tuple[At, ...] = ()


class Access(NamedTuple):
    """Reading or writing of one parameter: a YES has sites, an UNKNOWN has reasons; both may be there (a YES wins)."""

    sites: tuple[Site, ...] = ()
    unknowns: tuple[UnknownVerdict, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return "yes" if self.sites else "unknown" if self.unknowns else "no"


NO_ACCESS = Access()


@dataclass(slots=True)
class ParameterFacts:
    """``name`` is the Python parameter or element (``pair[1]``). ``table_*``: through pointers loaded from it (a
    pointer table).

    ``first``: what the kernel does to it first, where that is certain. ``masked_only``: every write is under a mask.
    ``uniform_write``: every
    program writes at an address that does not depend on ``program_id``. ``again``: where it is read and then written so
    that a second run on the same memory gives something else, for certain. ``mixed``: it is an address in one compile
    and none in another; ``type`` is the address then."""

    name: str
    type: str
    read: Access = NO_ACCESS
    write: Access = NO_ACCESS
    table_read: Access = NO_ACCESS
    table_write: Access = NO_ACCESS
    first: Literal["read", "write"] | None = None
    masked_only: bool = False
    uniform_write: bool = False
    again: tuple[Site, Site] | None = None
    mixed: bool = False


class CallFact(NamedTuple):
    """A call of a jit function: what it does through each of the callee's own parameters."""

    at: At
    callee: int
    parameters: tuple[tuple[str, Verdict, Verdict], ...]


@record
class AsmFact:
    """An inline assembly: ``pure`` as declared; ``unknown`` names the instruction or reason that can't be analysed
    (None: understood), ``stores`` an instruction that writes memory and ``foreign`` why it may have any address of the
    kernel's: it names what is the compiler's own."""

    at: At
    path: tuple[At, ...]
    pure: bool
    unknown: str | None
    stores: str | None
    foreign: str | None = None


@record
class Recursion:
    """A jit function that reaches itself at run time: slice functions in order of the calls, and each call's node."""

    cycle: tuple[int, ...]
    calls: tuple[At, ...]


@record
class ProblemKind:
    """What the compiler's words are about and which operands they name, read off them by ``lowering/message_kinds.py``.

    ``undefined``: the variable that is; ``retyped``: that which has two types. ``lacking``: the type of an object
    without the ``attribute``, or that can't be called; ``module``: that without it. ``syntax``: the kind of node that
    the compiler does not take. ``unsupported``: a dtype that the target lacks; ``scaled``: the
    format that a scaled dot product wants, ``width``: the bits that an element must have. ``dtypes`` and ``numbers``:
    all that are named; ``bits``: from how many to how many a cast goes. ``threads`` of a warp, ``warps`` of a block and
    ``blocks`` of a cluster: what the last layout shown is for."""

    topics: tuple[Topic, ...] = ()
    undefined: str | None = None
    retyped: str | None = None
    lacking: str | None = None
    attribute: str | None = None
    module: str | None = None
    syntax: str | None = None
    unsupported: str | None = None
    dtypes: tuple[str, ...] = ()
    bits: tuple[int, int] | None = None
    scaled: str | None = None
    width: int | None = None
    numbers: tuple[int, ...] = ()
    threads: int | None = None
    warps: int | None = None
    blocks: int | None = None


NO_KIND = ProblemKind()
"""Of what the compiler did not say."""


@record
class Problem:
    """Something that kept the analysis from its end. ``code``: ``compile-error`` (the user's code is wrong for
    certain), ``recursion``, or ``not-analyzed`` (we could not; ``message`` says why in plain words). ``chain``: calls
    from the kernel to ``at``, outermost first.
    ``certain``: no other signature could make it go away (an undefined name, a construct that Triton lacks).
    ``tried``: seen to be there with all that may be passed for what was guessed, of what is a block with all of it.
    ``dated``: another version of Triton would take it. ``kind``: what the message, which is for people, is about.
    ``needed``: the guesses that may be to blame, each as a comment above the kernel would correct it (``n: i32``)."""

    code: str
    message: str
    at: At
    chain: tuple[At, ...] = ()
    hint: str | None = None
    certain: bool = False
    needed: tuple[str, ...] = ()
    dated: bool = False
    kind: ProblemKind = NO_KIND
    tried: bool = False


@dataclass(slots=True)
class Facts:
    """``helpers``: what each other jit function of the slice does to its own parameters, by index in the slice,
    joined over its specializations.
    ``reached``: the calls, assignments and returns that the front end compiled under at least one signature, as
    ordinals by function, in order. One that is not among them lies in a branch that no signature took."""

    parameters: list[ParameterFacts] = field(default_factory=list[ParameterFacts])
    values: list[Assigned] = field(default_factory=list[Assigned])
    calls: list[CallFact] = field(default_factory=list[CallFact])
    assembly: list[AsmFact] = field(default_factory=list[AsmFact])
    recursion: Recursion | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    helpers: dict[int, list[ParameterFacts]] = field(default_factory=dict[int, list[ParameterFacts]])
    reached: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
