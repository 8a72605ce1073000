"""Start, waiting, change on disk, and the end of the server and of all that it started."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import puppet
import pytest
from connection import INTERPRETER, KERNELS, SOURCES, connect
from lsprotocol import types

ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}"}


def agents_of(pid: int) -> list[psutil.Process]:
    return [p for p in psutil.Process(pid).children() if "__main__.py" in " ".join(p.cmdline())]


async def gone(processes: list[psutil.Process]) -> bool:
    _, left = await asyncio.to_thread(psutil.wait_procs, processes, 5)
    return not left


def test_nothing_of_the_server_imports_triton_or_torch(tmp_path: Path) -> None:
    """With a triton and a torch that say so when they are imported, and every module of ours."""
    for name in ("triton", "torch"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(f'{__name__} was imported')\n")
    code = (
        "import importlib, pkgutil, sys, triton_ls\n"
        "for module in pkgutil.walk_packages(triton_ls.__path__, 'triton_ls.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "ours = [m for m in sys.modules if m.startswith('kernel_analysis.')]\n"
        "shared = ('codes', 'report', 'span', 'facts', 'ir', 'codec', 'disk', 'files', 'paths')\n"
        "shared += ('record', 'run_wire', 'typed', 'wire', 'zipped')\n"
        "allowed = {'kernel_analysis.' + m for m in shared}\n"
        "assert set(ours) <= allowed, ours\n"
        "assert not {'triton', 'torch'} & sys.modules.keys()\n"
    )
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def test_a_proper_end(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        agents = agents_of(connection.pid)
        assert agents
        server = connection.client._server
    assert server is not None
    assert server.returncode == 0
    assert await gone(agents)


async def test_exit_without_shutdown(tmp_path: Path) -> None:
    async with connect(tmp_path, shut_down=False) as connection:
        connection.client.exit(None)
        server = connection.client._server
        assert server is not None
        assert await asyncio.wait_for(server.wait(), 10) == 1


async def test_the_end_of_input(tmp_path: Path) -> None:
    async with connect(tmp_path, shut_down=False) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        agents, server = agents_of(connection.pid), connection.client._server
        assert server is not None
        assert server.stdin is not None
        server.stdin.close()
        assert await asyncio.wait_for(server.wait(), 10) == 1
        assert await gone(agents)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_agents_end_with_a_server_that_is_killed_while_they_compile(tmp_path: Path) -> None:
    settings = {"interpreter": puppet.interpreter(tmp_path)}
    async with connect(tmp_path, settings=settings, shut_down=False) as connection:
        connection.open("kernels.py", "def hang(x):\n")
        await connection.until(lambda: puppet.suffers(tmp_path, "hang"), "the agent is busy")
        agents = psutil.Process(connection.pid).children()
        os.kill(connection.pid, signal.SIGKILL)
        assert await gone(agents)


async def test_a_client_that_is_gone_takes_the_server_along(tmp_path: Path) -> None:
    """Its end of the pipes is still open: only the process number tells."""
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    async with connect(tmp_path, process_id=editor.pid, shut_down=False) as connection:
        editor.kill()
        await editor.wait()
        server = connection.client._server
        assert server is not None
        assert await asyncio.wait_for(server.wait(), 10) == 1


@pytest.mark.alone
async def test_hover_is_quick_while_a_kernel_compiles(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = connection.open("kernels.py", "def good(x):\ndef hang(x):\n")
        await connection.until(lambda: uri in connection.client.diagnostics, "what is known of the first function")
        assert puppet.suffers(tmp_path, "hang"), "the agent is busy with the second"
        times: list[float] = []
        for _ in range(50):
            start = time.perf_counter()
            hover = await connection.hover(uri, 0, 5)
            times.append(time.perf_counter() - start)
            assert hover is not None
            assert "(kernel) good" in hover
        assert sorted(times)[len(times) // 2] < 0.005


async def test_progress_when_it_takes_long(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        connection.open("kernels.py", "def slow_one(x):\ndef slow_two(y):\n")
        reports = connection.client.progress_reports
        await connection.until(lambda: any(reports.values()), "a beginning")
        await connection.until(lambda: any(len(seen) > 1 for seen in reports.values()), "a report")
        end = types.WorkDoneProgressEnd
        await connection.until(lambda: any(isinstance(seen[-1], end) for seen in reports.values() if seen), "an end")


async def test_no_progress_for_a_client_that_shows_none(tmp_path: Path) -> None:
    interpreter = puppet.interpreter(tmp_path)
    capabilities = types.ClientCapabilities()
    async with connect(tmp_path, capabilities, options={"interpreter": interpreter}) as connection:
        uri = connection.open("kernels.py", "def slow_one(x):\ndef slow_two(y):\n")
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")
        assert not connection.client.progress_reports


async def test_a_kernel_that_hangs_is_reported_and_the_others_keep_their_facts(tmp_path: Path) -> None:
    settings = {"interpreter": puppet.interpreter(tmp_path), "timeout": 0.5}
    async with connect(tmp_path, settings=settings) as connection:
        uri = connection.open("kernels.py", "def good(x):\ndef hang(x):\n")
        await connection.until_shown(uri, 2, "not-analyzed", "the compiler needed more than 0.5 s")
        assert "touches no memory" in (await connection.hover(uri, 0, 5) or "")


async def test_an_interpreter_without_triton_leaves_symbols(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    interpreter = tmp_path / "bare" / "bin" / "python"
    async with connect(tmp_path, settings={"interpreter": str(interpreter)}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        message = await connection.until_message("triton-ls.interpreter")
        assert "kernels are listed but not analyzed" in message
        params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics, though none")
        symbols = await connection.client.text_document_document_symbol_async(params)
        assert [symbol.name for symbol in symbols or []] == ["copy_kernel", "clobber_kernel"]
        assert connection.shown(uri) == []
        assert len(connection.client.messages) == 1


async def test_a_helper_that_changes_on_disk_or_in_another_document(tmp_path: Path) -> None:
    helper = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef put(ptr):\n    tl.store(ptr, 1)\n"
    idle = helper.replace("tl.store(ptr, 1)", "pass")
    user = "import triton\nfrom helper import put\n\n\n@triton.jit\ndef kernel(in_ptr):\n    put(in_ptr)\n"
    (tmp_path / "helper.py").write_text(idle)
    async with connect(tmp_path) as connection:
        uri = connection.open("user.py", user)
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics, though none")
        assert connection.shown(uri) == []
        (tmp_path / "helper.py").write_text(helper)
        await connection.until_shown(uri, 6, "mutated-parameter", "in_ptr")
        # The editor's text stands in for the disk's, saved or not.
        other = connection.open("helper.py", helper)
        connection.replace(other, idle)
        await connection.until_gone(uri, 6, "mutated-parameter")


@pytest.mark.slow("eighty kernels")
async def test_what_changes_while_it_is_analyzed_for_the_first_time(tmp_path: Path) -> None:
    """Nobody watches a file before an answer says that it was read."""
    helper = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef put(ptr):\n    tl.store(ptr, 1)\n"
    user = "import triton\nfrom helper import put\n\n\n@triton.jit\ndef kernel(in_ptr):\n    put(in_ptr)\n"
    more = "".join(f"\n\n@triton.jit\ndef other_{i}(out_ptr):\n    put(out_ptr + {i})\n" for i in range(80))
    (tmp_path / "helper.py").write_text(helper)
    async with connect(tmp_path) as connection:
        uri = connection.open("user.py", user + more)

        async def hover(name: str) -> str:
            return await connection.hover_on(uri, user + more, rf"def {name}\((\w+)", 1) or ""

        while "written" not in await hover("kernel"):
            await asyncio.sleep(0.01)
        assert "written" not in await hover("other_79"), "it should be read before all is analyzed"
        (tmp_path / "helper.py").write_text(helper.replace("tl.store(ptr, 1)", "pass"))
        end = time.monotonic() + 30
        while "not written" not in await hover("other_79"):
            assert time.monotonic() < end, await hover("other_79")
            await asyncio.sleep(0.1)
        assert "not written" in await hover("kernel")


async def test_launches_in_other_files_are_found_in_the_background_and_followed(tmp_path: Path) -> None:
    launching = tmp_path / "launching.py"
    launching.write_text(
        "import torch\nfrom kernels import fill\n\nfill[(1,)](torch.empty(8, dtype=torch.float16), 64)\n"
    )
    kernel = (
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef fill(out, BLOCK: tl.constexpr):\n"
        "    tl.store(out + tl.arange(0, BLOCK), 1)\n"
    )
    async with connect(tmp_path, options={"interpreter": INTERPRETER}) as connection:
        uri = connection.open("kernels.py", kernel)

        async def says(text: str) -> None:
            end = time.monotonic() + 30
            hover = None
            while time.monotonic() < end and text not in (hover or ""):
                await asyncio.sleep(0.1)
                hover = await connection.hover_on(uri, kernel, r"def fill\((out)", 1)
            assert text in (hover or "")

        await says("Compiled with `*fp16`: a launch passes a tensor of fp16 at launching.py:4.")
        launching.write_text(launching.read_text().replace("float16", "int8"))
        await says("Compiled with `*i8`: a launch passes a tensor of i8 at launching.py:4.")
