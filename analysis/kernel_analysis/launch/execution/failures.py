"""What a failed launch tells its author: the kind, a sentence, and the lines of the executed module that led there."""

from __future__ import annotations

import re
import traceback

from kernel_analysis.files import Unreadable, read_file

_LARGEST = 64_000_000  # of PTX
MODULE = "triton_ls_kernel.py"
"""The name of the file that the kernel is executed from; its lines are mapped back by whoever made it."""


class Failure(Exception):
    """The run failed for a reason that can be told."""

    def __init__(self, kind: str, message: str, places: list[int] | None = None) -> None:
        super().__init__(message)
        self.kind, self.places = kind, places or []


def explained(error: BaseException, pair: str | None) -> Failure:
    """An exception of torch's, Triton's or the interpreter's in plain words."""
    chain = _chain(error)
    names = [type(link).__name__ for link in chain]
    text = next((str(link) for link in reversed(chain) if str(link)), "") or names[-1]
    places = [
        frame.lineno or 0
        for link in chain
        for frame in traceback.extract_tb(link.__traceback__)
        if frame.filename.endswith(MODULE)
    ]
    whole = " ".join(map(str, chain))
    if "OutOfMemoryError" in names or re.search(r"out of memory|can't allocate memory", whole, re.IGNORECASE):
        return Failure(
            "memory", f"The device has too little free memory for the inputs of this launch: {_first(text)}", places
        )
    if "OutOfBounds" in names:
        return Failure("out-of-bounds", f"Out of bounds: {text}", places)
    if "OutOfResources" in names:
        return Failure("resources", f"The kernel needs more than the device has: {_first(whole)}", places)
    if re.search(r"illegal memory access|misaligned address|memory access fault|page fault", whole, re.IGNORECASE):
        return Failure(
            "illegal-address", f"The kernel used an illegal address, and the device stopped it: {_first(text)}", places
        )
    if re.search(r"unspecified launch failure|device-side assert|illegal instruction", whole, re.IGNORECASE):
        return Failure("device", f"The device stopped the kernel: {_first(text)}", places)
    assembled = _assembler("\n".join(map(str, chain)))
    if assembled is not None:
        return Failure("compile", f"The kernel does not compile: ptxas: {assembled[0]}", assembled[1] or places)
    if re.search(r"error encountered during parsing|PassManager::run failed", whole):
        return Failure("compile", f"The kernel does not compile: {_first(text)}", places)
    compiling = [
        link for link in chain if "Compilation" in type(link).__name__ or "PTXAS" in str(link) or "ptxas" in str(link)
    ]
    if compiling:
        link = compiling[-1]
        message = getattr(link, "error_message", None) or str(link)
        return Failure("compile", f"The kernel does not compile: {_first(message)}", places)
    if (
        "NotImplementedError" in names
        or "`_semantic` argument must be provided" in whole
        or "InterpreterBuilder" in whole
    ):
        return Failure(
            "not-interpretable", f"Triton's interpreter can't run this kernel: {_first(text)}. It needs a GPU.", places
        )
    hint = f" ({pair})" if pair is not None else ""
    return Failure("failed", f"The launch failed with {names[-1]}: {_first(text)}{hint}", places)


def _chain(error: BaseException) -> list[BaseException]:
    """An exception and what caused it, the cause last."""
    out: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in out:
        out.append(link)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return out


def _assembler(text: str) -> tuple[str, list[int]] | None:
    """What ptxas says of the first mistake, and the line of the executed module that it belongs to, where the text
    that it was given still lies there."""
    found = re.search(r"ptxas ([^\n]*), line (\d+); (?:error|fatal)\s*: ([^\n]*)", text)
    if found is None:
        plain = re.search(r"ptxas (?:error|fatal)\s*: ([^\n]*)", text)
        return None if plain is None else (plain[1].strip(), [])
    try:
        before = read_file(found[1], _LARGEST).decode("utf-8", "replace").splitlines()
    except Unreadable:
        before = []
    modules = {number for line in before for number in re.findall(rf'\.file\s+(\d+)\s+".*{MODULE}"', line)}
    said = f"{found[3].strip()} (line {found[2]} of the PTX)"
    for line in reversed(before[: int(found[2])]):
        place = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)", line)
        if place is not None:
            return said, [int(place[2])] if place[1] in modules else []
    return said, []


def _first(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:400] if lines else "no reason was given"
