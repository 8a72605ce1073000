"""Random host code that makes tensors and numbers and launches a kernel with them, run by real torch: prints as many
bodies as were asked for, each with what the arguments are. A process of its own: torch changes settings of Triton's.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch

DTYPES = ("float16", "float32", "bfloat16", "float64", "int32", "int64", "uint8", "bool")
TRITON = {
    "float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "u8", "bool": "i1",
}  # fmt: skip
NOT_ASKED = {
    "apply_", "backward", "data_ptr", "map2_", "map_", "names", "numpy", "register_hook", "rename", "rename_",
    "register_post_accumulate_grad_hook", "resize_", "resize_as_", "set_", "share_memory_", "storage", "to_mkldnn",
    "tolist", "untyped_storage",
}  # fmt: skip
"""Methods that are no functions of their tensor, or hand out its memory."""
WORDS = {
    "autocast", "backward", "compile", "cudnn", "default", "det", "export", "file", "fork", "grad", "import", "init",
    "load", "lobpcg", "mkldnn", "profil", "quantiz", "save", "script", "seed", "set_", "sym", "thread", "typename",
    "vitals", "wait",
}  # fmt: skip
METHODS = [m for m in dir(torch.Tensor) if not m.startswith("_") and m not in NOT_ASKED]
FUNCTIONS = [
    name
    for name in dir(torch)
    if name[0].islower() and not any(word in name for word in WORDS)
    if callable(getattr(torch, name)) and not isinstance(getattr(torch, name), type)
]
TENSORS = (
    "x", "x", "y", "z", "x.t()", "y.float()", "x[0]", "x[:, 0]", "x[None]", "y[1:3]", "x.view(-1)", "x.T",
    "torch.zeros(4, 6)", "torch.empty_like(x)",
)  # fmt: skip
NUMBERS = (
    "x.numel()", "x.shape[0]", "y.size(0)", "len(x.shape)", "x.stride(0)", "x.element_size()", "x.ndim", "x.dim()",
    "1", "2", "0.5", "7", "True", "None", "x.itemsize", "x.nbytes", "x.shape[-1]", "x.is_contiguous()", "n", "f",
    "x.stride()[0]", "x.requires_grad", "x.dtype", "2**40", "-5", "x.shape", "x.stride()", "x.size()",
    "x.sum().item()", "y.any().item()", "torch.finfo(torch.float16).max", "torch.iinfo(torch.int32).max",
    "x.numel() if x.is_cuda else None", "not x.is_contiguous()", "x.dtype == torch.float16", "x.shape == y.shape",
    "math.prod(x.shape)", "max(x.shape)", "x.shape[1:]", "x.numel() or None",
)  # fmt: skip
LITERALS = ("0", "1", "-1", "3.5", "True", "None", "(4, 6)", "(0, 1)", "(-1,)", "[1, 0]", "6")
KEYWORDS = (
    "dim=0", "dim=-1", "keepdim=True", "dtype=x.dtype", "dtype=None", "out=None", "copy=True", "size=(2, 3)",
    "fill_value=2", "input=x", "other=y", "min=0", "max=1", "device='cpu'", "descending=True",
    *(f"dtype=torch.{name}" for name in DTYPES),
)  # fmt: skip
CALLED = (
    "math.ceil", "math.floor", "math.sqrt", "math.log2", "math.pow", "math.gcd", "math.isqrt", "int", "float", "bool",
    "round", "abs", "len", "sum", "max", "min", "triton.cdiv", "triton.next_power_of_2",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "//", "/", "%", "**", "<", "==", "and", "or", "&", "|", "<<", "is", "in")
MOST_MEMORY = 16 << 30
HEAD = "import math\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"


class Writer:
    """Makes expressions that may well be refused."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, *of: str) -> str:
        return self.random.choice(of)

    def arguments(self) -> str:
        makers = (lambda: self.one(*LITERALS), lambda: f"torch.{self.one(*DTYPES)}", lambda: self.one(*TENSORS))
        made = [self.random.choice(makers)() for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        return ", ".join(made + ([self.one(*KEYWORDS)] if self.random.random() < 0.35 else []))

    def tensor(self, depth: int = 0) -> str:
        how = self.random.randrange(8)
        if how < 4 and depth < 2:
            return f"({self.tensor(depth + 1)}).{self.one(*METHODS)}({self.arguments()})"
        if how < 6:
            return f"torch.{self.one(*FUNCTIONS)}({self.arguments()})"
        if how == 6:
            return f"({self.one(*TENSORS)} {self.one(*OPERATORS)} {self.one(*TENSORS, *NUMBERS)})"
        return f"{self.one(*TENSORS)}.{self.one('T', 'mT', 'data', 'shape', 'real', 'grad', 'dtype', 'is_cuda')}"

    def number(self, depth: int = 0) -> str:
        how = self.random.randrange(8)
        inner = depth + 1
        if how < 3 or depth > 2:
            return self.one(*NUMBERS)
        if how < 5:
            return f"({self.number(inner)} {self.one(*OPERATORS)} {self.number(inner)})"
        if how == 5:
            arguments = ", ".join(self.number(inner) for _ in range(self.random.choice((1, 1, 2))))
            return f"{self.one(*CALLED)}({arguments})"
        if how == 6:
            return f"({self.number(inner)} if {self.number(inner)} else {self.number(inner)})"
        return f"{self.one('-', '~', 'not ')}{self.number(inner)}"

    def body(self) -> str:
        dtypes = ["", "", *(f", dtype=torch.{name}" for name in DTYPES)]
        lines = [
            f"x = torch.{self.one('zeros', 'ones', 'empty')}(4, 6{self.one(*dtypes)})",
            f"y = torch.arange(6{self.one('.0', *dtypes)})",
            f"z = torch.tensor({self.one('[1, 2]', '1.5', 'True', '[[1]]')}{self.one(*dtypes)})",
            "n = x.shape[1]",
            "f = 1.5",
        ]
        for _ in range(self.random.choice((0, 0, 1, 2))):
            made = f"{self.tensor()}" if self.random.random() < 0.6 else f"x.{self.one(*METHODS)}({self.arguments()})"
            lines.append(f"{self.one('x', 'y', 'z')} = {made}" if self.random.random() < 0.7 else made)
        passed = [self.random.choice((self.tensor, self.number))() for _ in range(2)]
        return "\n".join(f"    {line}" for line in [*lines, f"KERNEL[(1,)]({', '.join(passed)})"])


class Launched:
    """In the place of a kernel: takes what it is launched with."""

    def __init__(self) -> None:
        self.passed: tuple[Any, ...] = ()

    def __getitem__(self, grid: object) -> Launched:
        return self

    def __call__(self, *passed: Any) -> None:
        self.passed = passed


@contextmanager
def _in_time() -> Generator[None]:
    """What takes more than two seconds is a launch that nobody makes."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def launched(body: str) -> tuple[Any, ...] | None:
    """What torch makes of the arguments; None where it refuses the body."""
    kernel = Launched()
    names: dict[str, Any] = {"KERNEL": kernel}
    try:
        with _in_time():
            exec(f"{HEAD}def go():\n{body}\n", names)  # the text that is made above
            names["go"]()
    except Exception:  # noqa: BLE001  (whatever torch raises: the launch does not happen)
        return None
    return kernel.passed if len(kernel.passed) == 2 else None


def described(value: Any) -> Any:
    """What an argument is, as plain data."""
    if isinstance(value, torch.Tensor):
        return f"*{TRITON.get(str(value.dtype).removeprefix('torch.'))}"
    if isinstance(value, tuple | list):
        return [described(item) for item in value]
    return type(value).__name__


def main(seed: int, wanted: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # a shape may be of any size
    writer = Writer(seed)
    while wanted:
        body = writer.body()
        passed = launched(body)
        if passed is not None:
            print(json.dumps([body, [described(value) for value in passed]]), flush=True)
            wanted -= 1


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
