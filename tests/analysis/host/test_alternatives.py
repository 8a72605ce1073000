"""What a name may stand for where a file runs elsewhere: only that which a kernel could use, and all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.small_projects import HEAD, sliced, write
from kernel_analysis.source.slice import Constant, FunctionRef, SliceFunction

FAST = "import os\nfrom os import environ\n"
KERNEL = "\n@triton.jit\ndef kernel(p):\n    tl.store(p, act(tl.load(p)))\n"


def _kernel(folder: Path, text: str, **more: str) -> SliceFunction:
    project = write(folder, work__m=text, **more)
    return sliced(project, folder / "work/m.py", "kernel").functions[0]


@pytest.mark.parametrize(
    "test", ['os.environ.get("FAST") == "1"', 'os.getenv("FAST", "0") != "0"', 'int(os.environ.get("FAST", 0)) > 1']
)
def test_one_of_two_functions(folder: Path, test: str) -> None:
    arms = "    @triton.jit\n    def act(x):\n        return {}\n"
    text = FAST + HEAD + f"if {test}:\n{arms.format('x')}else:\n{arms.format('-x')}" + KERNEL
    kernel = _kernel(folder, text)
    assert "os." in kernel.varies["act"]
    (other,) = kernel.others["act"]
    assert isinstance(other, FunctionRef)
    assert other != kernel.bindings["act"]


def test_through_an_import(folder: Path) -> None:
    arms = "    @triton.jit\n    def act(x):\n        return {}\n"
    acts = FAST + HEAD + f'if environ.get("FAST"):\n{arms.format("x")}else:\n{arms.format("-x")}'
    kernel = _kernel(folder, f"{HEAD}from acts import act\n{KERNEL}", work__acts=acts)
    assert set(kernel.others) == set(kernel.varies) == {"act"}


def test_one_that_varies_itself_is_not_in_sight(folder: Path) -> None:
    inner = 'X = tl.constexpr(int(os.getenv("LEVEL", "0")))\n'
    text = FAST + HEAD + inner + 'if environ.get("FAST"):\n    act = X\nelse:\n    act = tl.constexpr(2)\n' + KERNEL
    kernel = _kernel(folder, text)
    assert set(kernel.varies) == {"act"}
    assert not kernel.others


def test_constants(folder: Path) -> None:
    text = FAST + HEAD + 'if environ.get("F"):\n    act = tl.constexpr(1)\nelse:\n    act = tl.constexpr(2)\n' + KERNEL
    (other,) = _kernel(folder, text).others["act"]
    assert isinstance(other, Constant)
    assert other.value == 1


@pytest.mark.parametrize(
    "missing",
    [
        "",
        "else:\n    tl = Nothing()\n",
        "else:\n    tl = None\n",
        "else:\n    from nowhere import tl\n",
        "else:\n    def act(x):\n        raise NotImplementedError\n",
    ],
)
def test_without_triton_there_is_no_kernel(folder: Path, missing: str) -> None:
    text = (
        "import os\nimport triton\nclass Nothing:\n    load = None\n"
        'if os.environ.get("NO_GPU", "0") == "0":\n    import triton.language as tl\n'
        "    @triton.jit\n    def act(x):\n        return tl.exp(x)\n" + missing + KERNEL
    )
    assert not _kernel(folder, text).varies


def test_a_name_that_is_pythons_too(folder: Path) -> None:
    """Where the branch is not taken, the name is Python's."""
    text = FAST + HEAD + 'if not environ.get("F"):\n    max = tl.min\n' + KERNEL.replace("act", "max")
    kernel = _kernel(folder, text)
    assert set(kernel.varies) == {"max"}
    assert not kernel.others


def test_an_import_that_may_fail(folder: Path) -> None:
    text = HEAD + "try:\n    from fast import act\nexcept ImportError:\n    from slow import act\n" + KERNEL
    kernel = _kernel(folder, text, work__slow=HEAD + "@triton.jit\ndef act(x):\n    return x\n")
    assert set(kernel.varies) == {"act"}
    # What is not there is not in sight.
    assert all(not isinstance(other, FunctionRef) for other in kernel.others.get("act", ()))


GUARDED = "if environ.get('SLOW') is None:\n    @triton.jit\n    def act(x):\n        return x\n"
STUB = "else:\n    def act(*args):\n        raise RuntimeError\n"


def test_a_stub_is_no_alternative_through_guarded_imports(folder: Path) -> None:
    """Triton lets no kernel name a plain function, wherever it comes from."""
    acts = FAST + HEAD + GUARDED + STUB
    between = FAST + "if environ.get('SLOW') is None:\n    from acts import act\n"
    text = f"{FAST}{HEAD}if environ.get('SLOW') is None:\n    from between import act\n{KERNEL}"
    kernel = _kernel(folder, text, work__acts=acts, work__between=between)
    assert isinstance(kernel.bindings["act"], FunctionRef)
    assert not kernel.varies


def test_alternatives_of_what_is_imported(folder: Path) -> None:
    """Those of the import, and those of what each imports."""
    other = "else:\n    @triton.jit\n    def act(x):\n        return -x\n"
    third = HEAD + "@triton.jit\ndef act(x):\n    return x + 1\n"
    text = f"{FAST}{HEAD}try:\n    from acts import act\nexcept RuntimeError:\n    from third import act\n{KERNEL}"
    kernel = _kernel(folder, text, work__acts=FAST + HEAD + GUARDED + other, work__third=third)
    assert "act" in kernel.varies
    assert len(kernel.others["act"]) == 2


def test_a_guess_that_is_imported_has_none_in_sight(folder: Path) -> None:
    acts = FAST + HEAD + "N = tl.constexpr(int(environ.get('N', '2')))\n"
    text = f"{FAST}{HEAD}if environ.get('FAST'):\n    from acts import N\nelse:\n    N = tl.constexpr(3)\n"
    kernel = _kernel(folder, text + "\n@triton.jit\ndef kernel(p):\n    tl.store(p, N)\n", work__acts=acts)
    assert "N" in kernel.varies
    assert not kernel.others


@pytest.mark.parametrize(
    "stars",
    [
        "try:\n    from fast import *\nexcept RuntimeError:\n    from slow import *\n",
        "from slow import *\nif environ.get('FAST'):\n    from fast import *\n",
        "from fast import *\ntry:\n    import extra\n    from slow import *\nexcept ImportError:\n    pass\n",
    ],
)
def test_stars_that_may_be_there(folder: Path, stars: str) -> None:
    one = HEAD + "@triton.jit\ndef act(x):\n    return {}\n"
    more = {"work__fast": one.format("x"), "work__slow": one.format("-x")}
    kernel = _kernel(folder, f"{FAST}{HEAD}{stars}{KERNEL}", **more)
    assert "act" in kernel.varies
    assert not kernel.others


NOWHERE = "try:\n    from nowhere import *\nexcept ImportError:\n    pass\n"


def test_stars_that_are_there(folder: Path) -> None:
    stars = "from first import *\nif True:\n    from second import *\n"
    one = HEAD + "@triton.jit\ndef act(x):\n    return x\n"
    kernel = _kernel(folder, f"{HEAD}{NOWHERE}{stars}{KERNEL}", work__first=HEAD, work__second=one)
    assert isinstance(kernel.bindings["act"], FunctionRef)
    assert not kernel.varies


def test_a_star_behind_that_is_not_there(folder: Path) -> None:
    """Where it is, it may have another."""
    one = HEAD + "@triton.jit\ndef act(x):\n    return x\n"
    kernel = _kernel(folder, f"{HEAD}from first import *\n{NOWHERE}{KERNEL}", work__first=one)
    assert isinstance(kernel.bindings["act"], FunctionRef)
    assert kernel.varies.keys() == {"act"}
    assert not kernel.others


def test_a_decorator_that_leaves_the_function_plain_elsewhere(folder: Path) -> None:
    maybe = "import unheard\ndef maybe(fn):\n    return triton.jit(fn) if unheard.of() else fn\n"
    act = "@maybe\ndef act(x):\n    return x\n"
    assert not _kernel(folder, FAST + HEAD + maybe + act + KERNEL).varies
    other = "def plain(x):\n    return -x\nact = triton.jit(act) if unheard.of() else plain\n"
    assert _kernel(folder, FAST + HEAD + maybe + act.replace("@maybe\n", "") + other + KERNEL).varies


LACKING = FAST + HEAD + 'if environ.get("F"):\n    {}from triton.language.math import exp_of_another_version as act\n'
OTHERWISE = "else:\n    from triton.language.math import exp as act\n"


def test_what_this_triton_lacks_is_none(folder: Path) -> None:
    """Where that is imported there is no module, and no kernel."""
    assert not _kernel(folder, LACKING.format("") + OTHERWISE + KERNEL).others


def test_what_takes_the_place_of_what_this_triton_lacks_is_one(folder: Path) -> None:
    fallen = "    except ImportError:\n        from triton.language.math import rsqrt as act\n"
    assert _kernel(folder, LACKING.format("try:\n        ") + fallen + OTHERWISE + KERNEL).others["act"]
