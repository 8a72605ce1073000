"""What the compiler's words are about, read off them once: no other module reads a message, for each Triton words it in
its own way.

May not decide whose fault an error is, nor what to change. Knows the texts of 3.6 to 3.9; imports nothing of Triton.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Final

from kernel_analysis.facts import Problem, ProblemKind, Topic

_TOPICS: Final[dict[Topic, re.Pattern[str]]] = {
    "undefined": re.compile(r"is not defined"),
    "defined-twice": re.compile(r"constexpr cannot be reassigned"),
    "out-of-reach": re.compile(r"out of a kernel's reach"),
    "static-assertion": re.compile(r"static_?assert"),
    "assertion": re.compile(r"[Aa]ssert"),
    "number-too-wide": re.compile(r"out of range for type"),
    "becomes-pointer": re.compile(r"64-bit integer can become a pointer"),
    "integer-widths": re.compile(r"\b(?:int|[iu])32\b.*\b(?:int|[iu])64\b|\b(?:int|[iu])64\b.*\b(?:int|[iu])32\b"),
    "dtype": re.compile(r"[Dd]type|data type"),
    "dtype-called": re.compile(r"^'dtype' object is not callable"),
    "dtype-wanted": re.compile(r"dtype|to_ir|primitive_bitwidth|element_ty"),
    "two-dtypes": re.compile(
        r"same dtype|re-assigned|Mismatched type|has initial type|initial value|[Bb]itcast"
        r"|dtypes? (?:must|mismatch)|Unsupported (?:lhs|rhs) dtype|Unexpected dtype|must be packed|fp8|float8"
        r"|bitwidth must be"
    ),
    "refused-dtype": re.compile(r"Unsupported"),
    "unsupported-dtype": re.compile(r"type \w+ not supported in this architecture"),
    "integer-to-fp8": re.compile(r"cannot cast int.*fp8"),
    "too-many-elements": re.compile(r"maximum tensor numel"),
    "block-too-large": re.compile(r"maximum tensor numel|exceeds"),
    "block-too-small": re.compile(r"greater than|must be a power"),
    "element-count": re.compile(r"total number of elements"),
    "extents": re.compile(
        r"power of (?:2|two)|[Ss]hape|dimension|broadcast|number of elements|rank|K >= |greater than"
        r"|compatible"
    ),
    "rank": re.compile(
        r"rank|axis|block|dimension|scalar|subscript|expand|shape|index out of range|is_block|reduce|length of values"
    ),
    "too-few-elements": re.compile(r"(?:list|tuple) index out of range"),
    "block-wanted": re.compile(r"numel|has no attribute 'shape'|too many indices"),
    "scalar-wanted": re.compile(r"must be 1-bit signless integer, but got 'tensor<"),
    "pointer-to-pointer": re.compile(r"no pointers to pointers"),
    "pointer-type": re.compile(r"pointer<|pointer_type"),
    "single-pointer": re.compile(r"cannot be block type if pointer argument is not a block"),
    "address": re.compile(r"ptr type|pointer|base address"),
    "operand-types": re.compile(r"invalid operands"),
    "integer-wanted": re.compile(
        r"unexpected type|invalid operands of type.*(?:float|fp|bf)|must (?:all )?be int|[Ee]xpected.*int"
        r"|integer|is_int|mask"
    ),
    "float-wanted": re.compile(r"Expected dtype|floating|must be float"),
    "loop-bounds": re.compile(r"loop bounds and step must"),
    # A function of the device's library says no more than which types it does not take.
    "refused-integers": re.compile(r"takes no operands of the types u?int"),
    "refused-floats": re.compile(r"takes no operands of the types (?:bf|fp|float)"),
    "compile-time": re.compile(r"constexpr|compile.time"),
    # Of what is no layout at all, nothing depends on how it is launched.
    "layout": re.compile(
        r"^(?!.*(?:must be a DistributedLayout|distributed_type)).*(?:[Ll]ayout|[Ww]arp|CTA|cta|[Tt]hreads|lane)",
        re.DOTALL,
    ),
    # Each backend brings its own functions along.
    "backend": re.compile(r"'triton\.language\.extra(?:\.\w+)*' has no attribute"),
    "no-backend": re.compile(r"^module 'triton\.language\.extra' has no attribute"),
    # Whatever they are given: Triton has them no more.
    "removed": re.compile(r"^Block pointers have been removed|^module 'triton\.language' has no attribute"),
    "none": re.compile(r"\bNoneType\b|^'constexpr_type' object has no attribute '(?:scalar|is_ptr)'"),
    "address-space": re.compile(r"^the address space can't be said"),
    "scale-factor": re.compile(r"scale factor must be"),
    "target": re.compile(r"requires \w+ support|not supported on (?:this )?(?:arch|target|sm_?\d)"),
}

_UNDEFINED: Final = re.compile(r"(\w+)[`']? is not defined")
_RETYPED: Final = re.compile(r"(?:Mismatched type|[Ii]nitial value|Loop-carried variable) (?:for )?`?(\w+)`?")
_OBJECT: Final = re.compile(r"'(\w+)' object (?:has no attribute '(\w+)'|has no attribute|is not)")
_MODULE: Final = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")
_SYNTAX: Final = re.compile(r"unsupported AST node type: (\w+)")
_UNSUPPORTED: Final = re.compile(r"type (\w+) not supported in this architecture")
_DTYPE: Final = re.compile(r"\b(fp32|fp16|bf16|fp64|i(?:nt)?(?:8|16|32|64)|u(?:int)?8|fp8e\w+)\b")
_BITS: Final = re.compile(r"data-type of size (\d+) to data-type of size (\d+)")
_WIDTH: Final = re.compile(r"bitwidth must be (\d+)")
_FORMAT: Final = re.compile(r"for (e\dm\d)|(e\dm\d) format")
_NUMBER: Final = re.compile(r"\b(?<!power of )\d+\b")

_GIVEN: Final = re.compile(r": `[^`]*` was given .*$")  # with which shapes: other sizes come with others
_OF_SIZES: Final = re.compile(
    r"dimension|element|power|size|extent|multiple|divisible|range|shape|numel|maximum|exceed|[<>]="
)
_SHAPE: Final = re.compile(r"\[[^\[\]]*\]")
_ANY_DTYPE: Final = re.compile(r"\b(?:triton\.language\.)?(?:fp|bf|float|bfloat|u?int|i|u)\d+\w*\b")


def kind_of(message: str) -> ProblemKind:
    """What a message of the compiler speaks of."""
    undefined, retyped, of = _UNDEFINED.search(message), _RETYPED.search(message), _OBJECT.search(message)
    unsupported, bits, scaled = _UNSUPPORTED.search(message), _BITS.search(message), _FORMAT.search(message)
    width, module, syntax = _WIDTH.search(message), _MODULE.search(message), _SYNTAX.search(message)
    dtypes: list[str] = _DTYPE.findall(message)
    said = _GIVEN.sub("", message)
    return ProblemKind(
        topics=tuple(topic for topic, pattern in _TOPICS.items() if pattern.search(said)),
        undefined=undefined and undefined[1],
        retyped=retyped and retyped[1],
        lacking=of and of[1],
        attribute=of[2] if of else module and module[2],
        module=module and module[1],
        syntax=syntax and syntax[1],
        unsupported=unsupported and unsupported[1],
        dtypes=tuple(dict.fromkeys(dtype.replace("uint", "u").replace("int", "i") for dtype in dtypes)),
        bits=(int(bits[1]), int(bits[2])) if bits else None,
        scaled=scaled and (scaled[1] or scaled[2]),
        width=width and int(width[1]),
        numbers=tuple(map(int, _NUMBER.findall(message))),
        threads=_product(message, "threadsPerWarp"),
        warps=_product(message, "warpsPerCTA"),
        blocks=_product(message, "CTAsPerCGA"),
    )


def _product(message: str, what: str) -> int | None:
    """Of the last layout that a message shows, how many threads or warps it is for."""
    shown = re.findall(rf"{what} = \[([\d, ]+)\]", message)
    return math.prod(int(n) for n in shown[-1].split(",")) if shown else None


def same_words(one: Problem, other: Problem) -> bool:
    """Whether two say the same, but for numbers and the types that they stand in."""
    return but_numbers(one) == but_numbers(other)


def but_numbers(problem: Problem) -> str:
    return re.sub(r"[\d\[\]<>'`\"]+", "", problem.message)


def same_for_all_types(one: Problem, other: Problem) -> bool:
    """Whether two say the same, but for the types that they name and for sizes that change nothing."""
    first, second = (replace(each, message=_ANY_DTYPE.sub("", each.message)) for each in (one, other))
    return first.message == second.message or same_for_all_sizes(first, second)


def same_for_all_sizes(one: Problem, other: Problem) -> bool:
    """Whether two under other sizes say the same, and would under any. Where other sizes come with other numbers in it,
    a third size may be the one that fits; but no size makes a block a number, or gives it another rank."""
    first, second = (_GIVEN.sub("", each.message) for each in (one, other))
    if re.sub(r"[\d\[\]<>'`\",]+", "", first) != re.sub(r"[\d\[\]<>'`\",]+", "", second):
        return False
    if _plain_numbers(first) == _plain_numbers(second):
        return True
    ranks = _ranks(first)
    return len(set(ranks)) > 1 or len(ranks) == 1 and _OF_SIZES.search(first) is None


def is_of_sizes(problem: Problem) -> bool:
    """Whether blocks of other sizes might not have it: what names a size, a number or several shapes of one rank."""
    said = _GIVEN.sub("", problem.message)
    ranks = _ranks(said)
    if len(set(ranks)) > 1:
        return False
    bare = _SHAPE.sub("", said)
    return len(ranks) > 1 or _OF_SIZES.search(bare) is not None or bool(_plain_numbers(bare))


def _ranks(message: str) -> list[int]:
    """One less than the rank of each shape that the message shows."""
    return [shape.count(",") for shape in _SHAPE.findall(message)]


def _plain_numbers(message: str) -> list[str]:
    """The numbers of the message that belong to no dtype."""
    return re.findall(r"(?<![a-z\d])\d+", message)
