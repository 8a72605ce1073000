"""``triton-ls doctor``: which interpreter, triton, torch and GPU there are, and what works with them.

Triton and torch are looked at in the user's interpreter, never in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
from typing import Any

from kernel_analysis.wire import Identity
from triton_ls import __version__
from triton_ls.agents.agent_process import Agent
from triton_ls.agents.launch import CannotStart, command, find_program, patient
from triton_ls.cli import terminal
from triton_ls.settings import find_pyproject, merge, read_pyproject

_PATIENCE = 120

_TORCH = """
import json
try:
    import torch
except ImportError as error:
    print(json.dumps({"error": "not installed" if error.name == "torch" else f"not usable: {error}"}))
except Exception as error:
    print(json.dumps({"error": f"not usable: {type(error).__name__}: {error}"}))
else:
    devices = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    print(json.dumps({"version": torch.__version__, "devices": devices}))
"""


def doctor(options: argparse.Namespace) -> int:
    """Exit code 0: kernels can be analysed here."""
    from triton_ls.cli import client_settings

    project, complaints = read_pyproject(find_pyproject(os.getcwd()))
    settings = merge(client_settings(options), project)
    place = patient(settings, (os.getcwd(),))
    _say("triton-ls", f"{__version__}, on Python {platform.python_version()} ({sys.executable})")
    try:
        interpreter = command(place)[0]
        identity, protection = asyncio.run(_asked(place))
    except CannotStart as error:
        _say("interpreter", str(error))
        _say("analysis", "does not work")
        return 1
    torch = _probe_torch(interpreter)
    devices: list[str] = torch.get("devices", [])
    _say("interpreter", f"{identity.executable}, Python {identity.python}")
    _say("triton", identity.triton or f"not usable: {identity.triton_error}")
    _say("torch", torch.get("version") or torch["error"])
    _say("GPU", ", ".join(devices) or _driver() or "none found")
    _say("target", settings.target)
    _say("cache", _cache(settings.cache_file))
    _say("protection", protection)
    for complaint in complaints:
        _say("settings", complaint)
    works = identity.triton is not None
    _say("analysis", "works" if works else f"does not work: {identity.executable} -m pip install triton")
    _say("running kernels", _running(identity, torch, devices))
    return int(not works)


async def _asked(place: Any) -> tuple[Identity, str]:
    """Who an agent is, and what it gives up once it has imported Triton."""
    agent = await Agent.start(place)
    try:
        protection = await asyncio.wait_for(agent.protection, _PATIENCE)
        return agent.identity, protection.text
    except asyncio.TimeoutError:
        return agent.identity, "not known: the agent did not say"
    finally:
        await agent.close()


def _probe_torch(interpreter: str) -> dict[str, Any]:
    # -I: a torch.py in the current directory is not torch.
    try:
        done = subprocess.run(
            [interpreter, "-I", "-c", _TORCH], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        return {"error": f"not known: asking for it failed ({type(error).__name__})"}


def _driver() -> str | None:
    """A GPU that torch does not see."""
    tool = find_program("nvidia-smi")
    if tool is None:
        return None
    done = subprocess.run(
        [tool, "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, timeout=30, check=False
    )
    names = ", ".join(done.stdout.split("\n")).strip(", ")
    return f"{names} (not seen by torch)" if done.returncode == 0 and names else None


def _running(identity: Identity, torch: dict[str, Any], devices: list[str]) -> str:
    if identity.triton is None:
        return "does not work without triton"
    if "version" not in torch:
        return "does not work without torch"
    return "works" if devices else "works in Triton's interpreter, on the CPU"


def _cache(file: str | None) -> str:
    if file is None:
        return "off"
    size = os.path.getsize(file) / 1e6 if os.path.exists(file) else 0.0
    return f"{file}, {size:.1f} MB"


def _say(what: str, how: str) -> None:
    terminal.say(f"{what:<16} {how}")
