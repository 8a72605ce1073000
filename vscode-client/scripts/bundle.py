"""Puts the server, the analysis and their dependencies into ``bundled/``, from where the extension starts them.

Everything in it has to be pure Python: it runs with the Python that the user has triton in, whichever that is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).resolve().parent.parent
REPOSITORY = CLIENT.parent
BUNDLED = CLIENT / "bundled"
NEVER = shutil.ignore_patterns("__pycache__", "*.pyc")
# Wheels that say they are for Linux alone, as watchdog's, may still hold nothing but Python: the check below says.
WHEELS = ("--only-binary=:all:", "--implementation=py", "--abi=none", "--python-version=3.10")
PLATFORMS = ("--platform=any", "--platform=manylinux2014_x86_64")


def main() -> None:
    shutil.rmtree(BUNDLED, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    requirements = ("--requirement", str(CLIENT / "python" / "requirements.txt"))
    subprocess.run([*pip, *WHEELS, *PLATFORMS, "--no-compile", "--target", str(BUNDLED), *requirements], check=True)
    shutil.rmtree(BUNDLED / "bin", ignore_errors=True)
    for program in ("__main__.py", "probe.py"):
        shutil.copy(CLIENT / "python" / program, BUNDLED)
    for package in ("analysis/kernel_analysis", "server/triton_ls"):
        source = REPOSITORY / package
        shutil.copytree(source, BUNDLED / source.name, ignore=NEVER)
    if compiled := [str(path) for suffix in ("so", "pyd", "dylib") for path in BUNDLED.rglob(f"*.{suffix}*")]:
        sys.exit(f"not pure Python, can't be bundled: {', '.join(compiled)}")
    # Without site-packages, so that whatever is needed has to come from the bundle. The handlers import all of it.
    check = "import triton_ls.server, triton_ls.handlers, triton_ls.cli, triton_ls.watch, exceptiongroup, tomli"
    code = f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(BUNDLED)!r}); {check}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


if __name__ == "__main__":
    main()
