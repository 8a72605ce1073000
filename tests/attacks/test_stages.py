"""Assembly and libraries that a kernel names: what an assembler or a linker makes of them on demand, for both backends,
reads nothing that it may not, and neither floods nor ends the server."""

from __future__ import annotations

from typing import Any

import pytest

from attacks.case import KERNEL, Case
from attacks.through import Server
from attacks.trial import SECONDS, place

ASSEMBLY = {
    "include": '.include \\"SECRET_FILE\\"',
    "incbin": '.incbin \\"SECRET_FILE\\"',
    "incbin-endless": '.incbin \\"/dev/zero\\"',
    "include-device": '.include \\"/dev/stdin\\"',
    "file": '.file 1 \\"SECRET_FILE\\"',
    "repeated": ".rept 1000000000\\n.byte 1\\n.endr",
    "filled": ".fill 2000000000, 8, 1",
    "recursive": ".macro m\\nm\\nm\\n.endm\\nm",
    "unfinished": "}\\n.visible .entry other() {",
}
TEXT = """\
import triton
import triton.language as tl


@triton.jit
def k(p):
    o = tl.arange(0, 64)
    x = tl.inline_asm_elementwise("ASSEMBLY", "=OUT,OUT", [o], tl.int32, False, 1)
    tl.store(p + o, x)


k[(1,)](p, OPTIONS)
"""
LIBRARIES = 'extern_libs={"x": "SECRET_FILE"}, ptx_options="--include SECRET_FILE @SECRET_FILE"'
STAGES = {"cuda:90": ("ttgir", "llir", "ptx", "sass"), "hip:gfx942": ("ttgir", "llir", "amdgcn")}


def cases(target: str) -> list[Case]:
    constraint, copied = ("r", "mov.u32 $0, $1;") if target.startswith("cuda") else ("v", "v_mov_b32 $0, $1")
    texts = {name: TEXT.replace("ASSEMBLY", text).replace("OPTIONS", "") for name, text in ASSEMBLY.items()}
    texts["libraries"] = TEXT.replace("ASSEMBLY", copied).replace("OPTIONS", LIBRARIES)
    texts["honest"] = TEXT.replace("ASSEMBLY", copied).replace("OPTIONS", "")
    return [Case(name, "any", {KERNEL: text.replace("OUT", constraint)}) for name, text in texts.items()]


@pytest.mark.parametrize("target", STAGES)
@pytest.mark.slow("LLVM, ptxas and a linker, a dozen times")
def test_later_stages_do_nothing(target: str) -> None:
    for world in place(cases(target)):
        with Server(world.work, world.environment(), target=target, timeout=SECONDS) as server:
            files = [world.file(case) for case in world.cases]
            server.open({file: file.read_text() for file in files})
            server.settle(files)
            shown: Any = None
            for file in files:
                for stage in STAGES[target]:
                    shown = ask(server, "triton-ls.showIr", file.as_uri(), "k", stage)
                ask(server, "triton-ls.resources", file.as_uri(), "k")
            assert shown is not None, f"the last stage of the honest kernel is still there: {server.log[-3000:]}"
            assert server.close() == 0
            assert world.harm({"serve": server.said}, programs=True) == []


def ask(server: Server, command: str, *arguments: str) -> Any:
    return server.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})
