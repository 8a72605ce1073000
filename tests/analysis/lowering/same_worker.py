"""Runs in any Python with a Triton: compiles every block of the corpus with our front end and with Triton's own, and
compares the modules. Prints what it found as JSON.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "analysis")]

from corpus.pages import read_all  # noqa: E402
from kernel_analysis.kernels.cut import NotCut, cut  # noqa: E402
from kernel_analysis.kernels.project import Project  # noqa: E402
from kernel_analysis.lowering import Compiler, compat  # noqa: E402
from kernel_analysis.lowering.front import quick_types  # noqa: E402
from kernel_analysis.lowering.front.frontend import WatchedGenerator  # noqa: E402
from kernel_analysis.signature.infer import infer  # noqa: E402
from kernel_analysis.signature.signature_model import Signature  # noqa: E402
from kernel_analysis.source.slice import Slice  # noqa: E402

OWN = next(base for base in WatchedGenerator.__mro__ if base.__module__.startswith("triton."))


def text(module: Any) -> str:
    """The module with each place where it is used, without names in places: what Triton compiles to drop it leaves some
    behind. Up to Triton 3.7 without any places, since ours are better, and without the names that come from them."""
    # Triton names a function for the objects in its constexprs, by where they are.
    printed = re.sub(r" object at 0x[0-9a-f]+", " object", str(module))
    places: dict[str, str] = {}
    for name, place in re.findall(r"^(#loc\d*) = loc\((.*)\)$", printed, re.MULTILINE):
        named = re.fullmatch(r'"[^"]*"\((#loc\d*)\)', place)
        places[name] = named[1] if named else place
    lines = [line for line in printed.splitlines() if not line.startswith("#loc")]

    def resolved(match: re.Match[str]) -> str:
        at = re.sub(r'"[^"]*"\((#loc\d*)\)', r"\1", match[1])
        while at in places:
            at = places[at]
        return "" if compat.LOSES_PLACE else f" at {at}"

    body = re.sub(r" loc\(((?:[^()]|\([^()]*\))*)\)", resolved, "\n".join(lines))
    return "  tt.func ".join(map(_numbered, body.split("  tt.func ")))


def _numbered(function: str) -> str:
    """With numbers for names, in the order in which they are defined; regions beside each other share names."""
    numbers: dict[str, int] = {}
    count = itertools.count()

    def number(match: re.Match[str]) -> str:
        if match[2] is not None or match[1] not in numbers:
            numbers[match[1]] = next(count)
        return "%" if compat.LOSES_PLACE else f"%{numbers[match[1]]}"

    return re.sub(r"%([\w$.-]+)((?=(?::\d+)? = |: ))?", number, function)


def own(engine: Any, slice_: Slice, signature: Signature) -> str:
    """What Triton alone makes of it. Raises what it raises."""
    generators: Any = compat.code_generator
    generators.CodeGenerator = OWN
    quick_types.remember(wanted=False)
    try:
        return text(engine._make_ir(slice_, signature, engine._context(slice_.functions[0].gluon)))
    finally:
        generators.CodeGenerator = WatchedGenerator
        quick_types.remember()


def main() -> None:
    modules = 0
    differences: list[str] = []
    engines: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        for number, case in enumerate(read_all()):
            if case.target not in engines:
                engines[case.target] = Compiler(case.target)
            engine = engines[case.target]
            if not case.holds_for(engine.triton_version):
                continue
            folder = Path(directory).resolve() / str(number)
            for name, content in {**case.files, f"{case.name or 'block'}.py": case.source}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(content, encoding="utf-8")
            project = Project([str(folder)], [], case.target)
            for function in project.module(str(folder / f"{case.name or 'block'}.py")).functions:
                try:
                    slice_ = cut(project, function)
                except NotCut:
                    continue  # its text is another when it runs: there is nothing to compile
                for signature in infer(project, function, slice_):
                    if signature.made:
                        continue  # with an object of the user's class, which Triton itself takes from no launch
                    engine.forget()  # no helper is known
                    lowered = engine.lower(slice_, signature)
                    if lowered.ir is not None:
                        modules += 1
                        if text(lowered.module) != own(engine, slice_, signature):
                            differences.append(f"{case.id}: {function.name}")
    # The last line: kernels of the corpus print, too.
    print(json.dumps({"modules": modules, "differences": differences[:20]}))


main()
