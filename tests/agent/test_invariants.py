"""Looking at a file never runs it; a compile that goes wrong costs its own kernel only."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from agent.kernels import ADD, HEAD
from agent.process import Agent

EVIL = """
def evil(*args, **kwargs):
    open({mark!r}, "w").close()
    return args[0] if args else 1
"""
KERNEL = "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"

ATTACKS = {
    "at import": "evil()\n" + KERNEL,
    "decorator": "@evil\n" + KERNEL,
    "decorator with arguments": "@triton.autotune(configs=[evil()], key=[])\n" + KERNEL,
    "default": KERNEL.replace("p)", "p, n=evil())", 1),
    "annotation": KERNEL.replace("p)", "p: evil())", 1),
    "constexpr global": "X = tl.constexpr(evil())\n\n" + KERNEL.replace("1)", "X)"),
    "global": "X: tl.constexpr = evil(3)\n\n" + KERNEL.replace("1)", "X)"),
    "constexpr parameter": KERNEL.replace("p)", "p, N: tl.constexpr = evil(3))", 1),
    "call in the body": KERNEL.replace("1)", "evil(1))"),
    "method in the body": KERNEL.replace("1)", "p.__class__.__init__.__globals__)"),
    "launch": KERNEL + "\nk[(evil(),)](evil())\n",
    "class body": "class C:\n    x = evil()\n\n" + KERNEL,
    "heuristics": "@triton.heuristics({'N': evil})\n" + KERNEL.replace("p)", "p, N: tl.constexpr)", 1),
    "metaclass": "class M(type):\n    def __getattr__(cls, name):\n        return evil()\n\n\n"
    + "class C(metaclass=M):\n    pass\n\n\n"
    + KERNEL.replace("1)", "C.x)"),
    "static_print": KERNEL.replace("tl.store(p, 1)", "tl.static_print(evil(1))\n    tl.store(p, 1)"),
}
CHAINS = (
    "tl.core.os.system({command!r})",
    "tl.math.core.os.system({command!r})",
    "triton.runtime.jit.os.system({command!r})",
    "tl.__builtins__['exec']({command!r})",
    "tl.load.__globals__['os'].system({command!r})",
    "getattr(tl.core, 'os').system({command!r})",
    "().__class__.__base__.__subclasses__()",
    "tl.core.builtins.exec({command!r})",
    "tl.constexpr.__init__.__globals__['os'].system({command!r})",
    "'{{0.__class__}}'.format(tl)",
    "triton.knobs.os.system({command!r})",
    "triton.compiler.compiler.subprocess.run({command!r}, shell=True)",
    "f'{{tl.core.os.system({command!r})}}'",
)


@pytest.mark.parametrize("attack", list(ATTACKS))
def test_the_users_code_is_never_run(agent: Agent, root: Path, tmp_path: Path, attack: str) -> None:
    mark = tmp_path / "ran"
    agent.show(root / "attack.py", HEAD + EVIL.format(mark=str(mark)) + "\n\n" + ATTACKS[attack])
    agent.request("ir", {"file": str(root / "attack.py"), "qualname": "k"})
    assert not mark.exists()


@pytest.mark.parametrize("chain", CHAINS)
def test_a_body_reaches_nothing_but_triton(agent: Agent, root: Path, tmp_path: Path, chain: str) -> None:
    mark = tmp_path / "ran"
    expression = chain.format(command=f"touch {mark}")
    for body in (f"    tl.static_print({expression})\n", f"    x = {expression}\n", f"    tl.store(p, {expression})\n"):
        text = HEAD + f"@triton.jit\ndef k(p):\n{body}    tl.store(p, 1)\n"
        agent.show(root / "chain.py", text)
    assert not mark.exists()


def test_modules_of_the_workspace_are_never_imported(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    shadow = f"open({str(mark)!r}, 'w').close()\nraise SystemExit(3)\n"
    for name in ("ast", "json", "triton", "sqlite3", "torch", "types", "kernel_analysis", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(shadow)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text(shadow)
    (tmp_path / "pkg" / "consts.py").write_text("N = 4\n" + shadow)
    (tmp_path / "kernel.py").write_text(
        HEAD + "from pkg.consts import N\nimport torch\n" + KERNEL.replace("p)", "p, n=N)", 1)
    )
    with Agent(tmp_path, cwd=tmp_path, cache=str(tmp_path / "cache" / "facts.sqlite3")) as agent:
        assert agent.analyze(tmp_path / "kernel.py").reports["k"]["status"] == "analyzed"
    assert not mark.exists()


@pytest.mark.slow("memory is filled to the limit")
def test_out_of_memory_is_said_or_ends_the_process(tmp_path: Path) -> None:
    # 2^18 unrolled iterations: gigabytes of operations.
    greedy = "@triton.jit\ndef greedy(p):\n    for i in tl.static_range(262144):\n        tl.store(p + i, i)\n"
    with Agent(tmp_path, memory_limit_mb=80) as agent:
        (tmp_path / "greedy.py").write_text(HEAD + greedy)
        try:
            report = agent.analyze(tmp_path / "greedy.py").reports["greedy"]
        except EOFError:
            assert agent.process.returncode in (-signal.SIGABRT, -signal.SIGSEGV), "the compiler's C++ can't go on"
            return
        assert report["status"] == "failed"
        assert "memory" in report["problems"][0]["message"]
        # The limit did not break the process.
        assert agent.show(tmp_path / "add.py", ADD).reports["add"]["status"] == "analyzed"


def test_the_limit_leaves_room_for_ordinary_kernels(tmp_path: Path) -> None:
    with Agent(tmp_path, memory_limit_mb=200) as agent:
        assert agent.show(tmp_path / "add.py", ADD).reports["add"]["status"] == "analyzed"
