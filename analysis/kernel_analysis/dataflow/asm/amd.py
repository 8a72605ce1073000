"""AMD GCN/RDNA assembly: told from PTX by its mnemonics. Only what surely touches no global memory is known.

Registers are joined without regard to order. It may not say YES of an access: what is not known stays UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_PREFIX = r"(?:v|s|ds|global|flat|buffer|tbuffer|scratch|image|exp)_[a-z0-9]\w*"
_START = re.compile(rf"(?:^|[\n;{{])[^\S\n]*{_PREFIX}\b(?!\s*:)")
_NAME = re.compile(
    r"\x01([0-9]+)\x01|\b(vcc|\w*flat_scratch\w*|xnack_mask\w*|t[bm]a(?:_\w+)?\b)"
    r"|\b(acc|ttmp|[vsa])(?:([0-9]{1,4})\b|\s*\[\s*([0-9]{1,4})\s*(?::\s*([0-9]{1,4})\s*)?\]|\s*\[)"
)
UNTOLD = "?"
"""What the name of a register ends in that is counted out: it may be any of its kind."""
_SETS = re.compile(
    r"v_(?:mov|lshlrev|lshrrev|ashrrev|add|sub|mul|mad|fma|and|or|xor|not|min|max)(?:_(?!pk)[a-z]+\d*)*_[biuf](?:32|64)"
    r"(?:_e(?:32|64))?|v_cmp_\w+|s_mov_b(?:32|64)|s_(?:getreg_b32|memtime|memrealtime)"
)
"""Their first operand is only written, and all of it."""
_ELSEWHERE = re.compile(r"[vs]_movrel\w*|s_(?:branch|cbranch|call|setpc|swappc)\w*")
"""What goes to registers that it doesn't name, or on with another instruction than the next."""

_KEPT = re.compile(r"scratch_\w+|ds_(?:read|load|append|consume)\w*|ds_(?=\w+\Z)\w+_rtn\w*")
"""What reads the memory where the compiler keeps things, wherever an operand says."""

# Vector ALU and LDS instructions never reach global memory; of the scalar ones these don't.
_HARMLESS = re.compile(
    r"v_\w+|ds_\w+"
    # waiting, scheduling, clocks, hardware registers, caches
    r"|s_(?:waitcnt|wait|nop|sleep|barrier|sched|delay_alu|clause|setprio|memtime|memrealtime|[gs]etreg|sendmsg_rtn)\w*"
    r"|s_(?:inst_prefetch|ttracedata\w*|dcache_(?:inv|wb)\w*|icache_inv|gl1_inv)"
    r"|global_(?:wb|inv|wbinv)|buffer_(?:wbl2|inv|gl[01]_inv|wbinvl1\w*)"
    # arithmetic
    r"|s_(?:[cq]?mov|cselect|cmp|cmpk|bitcmp[01]|bitset[01]|bitreplicate|addc?|addk|subb?|mulk?|mul_hi|min|max|absdiff|abs)"
    r"_\w+|s_(?:and|or|xor|nand|nor|xnor|not|andn[12]|orn[12]|lshl|lshl[1-4]_add|lshr|ashr|bf[em]|brev|bcnt[01])_\w+"
    r"|s_(?:ff[01]|flbit|sext|pack|wqm|quadmask|cvt|fmac|fmamk|fmaak)_\w+"
)
_STORES = re.compile(
    r"(?:global|flat|buffer|tbuffer|image)_(?:store|atomic)\w*|s_(?:store|buffer_store|atomic)\w*"
    r"|ds_(?:write|store|add|sub)\w*"
)


def is_amd(text: str) -> bool:
    """``text`` is unescaped. Registers are declared in PTX only, whatever they are called."""
    return ".reg" not in text and _START.search(text) is not None


def statements(text: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each instruction: its mnemonic, itself, and the registers that it names. ``;`` starts a comment, unless an
    instruction follows it."""
    for line in re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", text, flags=re.S).splitlines():
        first, *rest = line.split(";")
        for piece in [first, *(part for part in rest if re.match(rf"\s*{_PREFIX}\b", part))]:
            if words := piece.strip(" \t{}").split(None, 1):
                if words[0].endswith(":"):
                    continue
                yield words[0], piece.strip(), tuple(_registers(piece))


def harmless(mnemonic: str) -> bool:
    return _HARMLESS.fullmatch(mnemonic) is not None


def stores(mnemonic: str) -> bool:
    return _STORES.fullmatch(mnemonic) is not None


def foreign(instructions: list[tuple[str, str, tuple[str, ...]]], carried: Callable[[str], bool]) -> str | None:
    """Why one may have what is neither set before nor an operand, as registers and memory of the compiler's hold it.
    ``carried``: whether an operand may be in a register."""
    own = set[str]()
    for mnemonic, piece, names in instructions:
        first, _, rest = piece.partition(mnemonic)[2].partition(",")
        sets = set(_registers(first)) if _SETS.fullmatch(mnemonic) and "dst_" not in rest else set[str]()
        taken = _registers(rest) if sets else names
        used = {name for name in taken if not name.startswith("$")}
        if _ELSEWHERE.fullmatch(mnemonic) or used - own:
            return f"`{piece}` names what the assembly does not set"
        if mnemonic.startswith("."):
            return f"`{piece}` may stand for any instruction"
        if _KEPT.fullmatch(mnemonic):
            return f"`{piece}` goes to what the compiler keeps"
        if (mnemonic.startswith("ds_") or not harmless(mnemonic)) and not any(map(carried, names)):
            return f"`{piece}` goes to an address that comes from no operand"
        own |= {name for name in sets if not name.endswith(UNTOLD)}
    return None


def first_registers(instructions: list[tuple[str, str, tuple[str, ...]]]) -> set[str]:
    """Those that an instruction may set: what it stores stands first, too."""
    plain = [(mnemonic, piece) for mnemonic, piece, _ in instructions if not stores(mnemonic)]
    return {name for mnemonic, piece in plain for name in _registers(piece.partition(mnemonic)[2].partition(",")[0])}


def _registers(text: str) -> Iterator[str]:
    for match in _NAME.finditer(text):
        if match[1]:
            yield f"${match[1]}"
            continue
        if match[2]:
            yield match[2]
            continue
        kind = "a" if match[3] == "acc" else match[3]
        first = match[4] or match[5]
        if first is None:
            yield kind + UNTOLD
        else:
            low, high = int(first), int(match[6] or first)
            # At most 32 registers stand together; more is no range.
            yield from (f"{kind}{n}" for n in range(low, min(high, low + 31) + 1))
