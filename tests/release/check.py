"""``make release``: what is about to be published, tried as a stranger gets it. Publishes nothing.

Takes dist/ with one wheel and one sdist, and the .vsix. Each of Python 3.10 and 3.13 gets a bare environment, where
commands and server are tried without Triton first, then with it; what came from the .vsix, cut off from the network.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.13")  # the oldest and the newest that pyproject.toml promises
KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def scale_kernel(in_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(in_ptr + offsets, tl.load(in_ptr + offsets) * 2, mask=offsets < n)
"""
FOUND = "mutated-parameter"
MISSING = "Triton is not installed"
VERSIONS = {
    "pyproject.toml": r'^version = "(.+)"',
    "server/triton_ls/__init__.py": r'^__version__ = "(.+)"',
    "analysis/kernel_analysis/__init__.py": r'^__version__ = "(.+)"',
    "vscode-client/package.json": r'^  "version": "(.+)"',
}
PERSON = """
All of it works. What is left needs a person with the accounts (docs/release.md):
  1. git tag v{version} && git push origin v{version}
  2. twine upload {dist}/*
  3. cd vscode-client && npx vsce publish --packagePath {vsix}    (and ovsx publish {vsix} for Open VSX)
"""


def run(
    *command: str | Path, status: int = 0, cwd: Path | None = None, environment: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=1200, check=False
    )
    if done.returncode != status:
        shown = " ".join(map(str, command))
        sys.exit(f"{shown}: ended with {done.returncode}, not {status}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def holds(what: str, condition: object) -> None:
    if not condition:
        sys.exit(f"not so: {what}")
    print(f"  {what}", flush=True)


def interpreter(version: str) -> str | None:
    """A Python of that version: on PATH, or one that pyenv keeps beside it."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for candidate in (shutil.which(f"python{version}"), *sorted(home.glob(f"versions/{version}.*/bin/python"))):
        if candidate and subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(candidate)
    return None


def version() -> str:
    """The one version that all places name."""
    found = {
        name: re.findall(pattern, (REPOSITORY / name).read_text(encoding="utf-8"), re.MULTILINE)[0]
        for name, pattern in VERSIONS.items()
    }
    if len({*found.values()}) != 1:
        sys.exit(f"versions differ: {found}")
    return found["pyproject.toml"]


def check_contents(wheel: Path, sdist: Path, vsix: Path, listed: Sequence[str]) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    holds("the wheel holds the two packages and no tests", tops == {"kernel_analysis", "triton_ls"})
    holds("both packages say that they are typed", sum(name.endswith("/py.typed") for name in names) == 2)
    with tarfile.open(sdist) as archive:
        members = archive.getnames()
    holds(
        "the sdist has no environment, cache or build in it",
        not any("/.venv" in m or "node_modules" in m for m in members),
    )
    packed = {
        name.removeprefix("extension/") for name in zipfile.ZipFile(vsix).namelist() if name.startswith("extension/")
    }
    # vsce writes these two in lower case, or with an ending, into the archive.
    loose = re.compile(r"(?i)(readme|changelog|license)(\.\w+)?$")
    holds(
        "the .vsix holds what `vsce ls` lists",
        {n for n in listed if not loose.match(n)} == {n for n in packed if not loose.match(n)},
    )
    strays = [n for n in packed if re.search(r"\.(so|pyd|map|ts)$|__pycache__|(^|/)tests?/|node_modules", n)]
    holds("the .vsix has no tests, caches, sources or compiled code in it", not strays)


def serve(command: Sequence[str | Path], file: Path) -> Iterator[dict[str, Any]]:
    """What the server says when an editor opens the file."""
    process = subprocess.Popen(
        [*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def send(**message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert process.stdin is not None
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()

    folder = [{"uri": file.parent.as_uri(), "name": "folder"}]
    try:
        send(
            id=1,
            method="initialize",
            params={"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folder},
        )
        while header := process.stdout.readline():
            length = int(header.split(b":")[1]) if header.lower().startswith(b"content-length") else 0
            while header.strip():
                header = process.stdout.readline()
                if header.lower().startswith(b"content-length"):
                    length = int(header.split(b":")[1])
            message = json.loads(process.stdout.read(length))
            if message.get("id") == 1 and "result" in message:
                send(method="initialized", params={})
                document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": KERNEL}
                send(method="textDocument/didOpen", params={"textDocument": document})
            yield message
    finally:
        process.kill()
        process.wait()


def says(command: Sequence[str | Path], file: Path, text: str) -> bool:
    """Whether the server does say that of the file; a server that never does is ended by the reader's patience."""
    return any(text in json.dumps(message) for message in serve(["timeout", "120", *command], file))


def check_environment(python: str, wheel: Path, sdist: Path, bundled: Path, folder: Path) -> None:
    environment, file = folder / "environment", folder / "work" / "kernels.py"
    file.parent.mkdir(parents=True)
    file.write_text(KERNEL, encoding="utf-8")
    run(python, "-m", "venv", environment)
    own = environment / "bin" / "python"
    command = environment / "bin" / "triton-ls"
    pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    alone = ("unshare", "--net", "--map-root-user") if offline() else ()
    extension = (*alone, own, "-I", bundled)
    check = ("check", "--no-cache", file)

    holds(
        "the .vsix's server, on a bare Python: says that Triton is missing",
        MISSING in run(*extension, *check, status=2),
    )
    run(*pip, "--no-deps", wheel)
    needed = [line for line in requirements(own) if not line.startswith("triton")]
    run(*pip, *needed)
    holds("the wheel, without Triton: says that it is missing", MISSING in run(command, *check, status=2))
    holds("  and so does its server", says((command, "serve"), file, MISSING))
    run(*pip, wheel)
    holds("the wheel, with Triton: check", FOUND in run(command, *check, status=1))
    holds("  its server", says((command, "serve"), file, FOUND))
    holds("  and doctor", re.search(r"analysis +works", run(command, "doctor")))
    run(own, "-m", "pip", "check")
    run(own, "-m", "pip", "uninstall", "--quiet", "--yes", "triton-ls")
    holds(
        f"the .vsix's server{' without a network' if alone else ''}: check", FOUND in run(*extension, *check, status=1)
    )
    holds("  its server", says((*extension, "serve"), file, FOUND))
    run(*pip, sdist)
    holds("the sdist: check", FOUND in run(command, *check, status=1))
    resolved = run(own, "-m", "pip", "install", "--dry-run", "--disable-pip-version-check", f"{wheel}[run]")
    holds("`pip install triton-ls[run]` resolves", re.search(r"Would install.* torch-\d", resolved))


def requirements(python: Path) -> list[str]:
    """What the installed distribution needs on this Python, without extras."""
    code = "from importlib.metadata import requires; print(*requires('triton-ls'), sep='\\n')"
    return [line for line in run(python, "-c", code).splitlines() if "extra ==" not in line]


def offline() -> bool:
    """Whether this system can start a process without a network for us."""
    try:
        return (
            subprocess.run(["unshare", "--net", "--map-root-user", "true"], capture_output=True, check=False).returncode
            == 0
        )
    except FileNotFoundError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path)
    parser.add_argument("vsix", type=Path)
    parser.add_argument("listed", type=Path, help="what `vsce ls` printed")
    parser.add_argument("--python", action="append", help=f"default: {', '.join(PYTHONS)}")
    options = parser.parse_args()
    (wheel,), (sdist,) = options.dist.resolve().glob("*.whl"), options.dist.resolve().glob("*.tar.gz")
    vsix = options.vsix.resolve()
    name = version()
    print(f"== triton-ls {name}")
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"## [{name}]" not in changes:
        print(f"  CHANGELOG.md has no section for {name} yet: what is under Unreleased belongs there")
    check_contents(wheel, sdist, vsix, options.listed.read_text(encoding="utf-8").split("\n")[:-1])
    left: list[str] = []
    for wanted in options.python or PYTHONS:
        if (python := interpreter(wanted)) is None:
            left.append(wanted)
            continue
        print(f"== Python {wanted}")
        with tempfile.TemporaryDirectory(prefix="triton-ls-release-") as folder:
            zipfile.ZipFile(vsix).extractall(Path(folder, "vsix"))
            bundled = Path(folder, "vsix", "extension", "bundled")
            check_environment(python, wheel, sdist, bundled, Path(folder, "try"))
    if left:
        sys.exit(f"not tried, because there is no such Python here: {', '.join(left)}")
    print(PERSON.format(version=name, dist=options.dist, vsix=vsix))


if __name__ == "__main__":
    main()
