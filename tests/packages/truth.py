"""What signature inference guesses against what the packages' own host code passes: agreement per parameter. By hand:
``make corpus-truth``.

The packages in the directories named are imported here, and their public functions called on the CPU with every launch
recorded instead of run (``recorder``; the calls are in ``calls_*``). The product never imports them.

A parameter *agrees* when its likeliest guess is what one of the recorded launches passes:

- a pointer, a number, a compile-time value, None, a tuple or a descriptor is told from each other;
- the element type of a pointer or descriptor is the same. Every call is made in float32, bfloat16 and float16: where
  the recorded type follows the caller's, any of the three agrees; where the host code or the contract of the function
  fixes it, only that one does. So do integers: their width counts;
- numbers: ``i32``, ``i64``, ``fp32``, ``i1`` are told from each other;
- compile-time values: the same Python type; for a bool, a string, None, a dtype or a function one of the signatures has
  the value; for an int also, or that both are powers of two, or neither is.

*Strictly* it agrees when the first signature alone has it, and all parameters are held against one and the same launch:
the one that fits best.

*Certain and wrong* is what disagrees though its evidence is called certain; there may be none, and the command fails if
there is.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder import Launch, Passed, Recorder, Where

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction

CALLER = {"fp16", "bf16", "fp32"}
"""The dtypes that every call is made with."""


@dataclass
class Verdict:
    """Of one parameter."""

    name: str
    guessed: str
    passed: str
    evidence: str
    agrees: bool
    strictly: bool
    certain: bool

    @property
    def wrong(self) -> bool:
        return self.certain and not self.agrees


@dataclass
class Package:
    name: str
    kernels: dict[Where, list[Verdict]] = field(default_factory=dict[Where, list[Verdict]])
    failed: list[str] = field(default_factory=list[str])
    unknown: list[Where] = field(default_factory=list[Where])
    silent: list[str] = field(default_factory=list[str])


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def power(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def element(type: str) -> str:
    """What a pointer or a descriptor points to."""
    return type.lstrip("*").removeprefix("tensordesc<").partition("[")[0]


def alike(guess: Any, passed: Any, free: bool) -> bool:
    """Whether two types are one; ``free``: the caller chooses among floats."""
    if isinstance(guess, tuple) or isinstance(passed, tuple):
        return (
            isinstance(guess, tuple)
            and isinstance(passed, tuple)
            and len(guess) == len(passed)
            and all(alike(a, b, free) for a, b in zip(guess, passed, strict=True))
        )
    guess = guess.replace("*k", "*")
    if guess.startswith("tensordesc") and passed.startswith("tensordesc"):
        # Only the rank of a block is a type's: its extents come from the values of constexprs.
        if guess.count(",") != passed.count(","):
            return False
        return element(guess) == element(passed) or (free and {element(guess), element(passed)} <= CALLER)
    if guess == passed:
        return True
    pointers = guess.startswith("*") and passed.startswith("*")
    return pointers and free and {element(guess), element(passed)} <= CALLER


def value_agrees(guess: Any, others: Sequence[Any], passed: Any) -> bool:
    """Whether a compile-time value is the one passed, as far as that can be asked of a guess; ``others``: those of the
    further signatures."""
    if any(same(value, passed) for value in (guess, *others)):
        return True
    if type(passed) is int:
        return type(guess) is int and power(guess) == power(passed)
    return isinstance(passed, (float, tuple)) and type(guess) is type(passed)


def one(signatures: Sequence[Signature], name: str, passed: Passed, free: bool) -> bool:
    """Whether the signatures' guess for a parameter is what one launch passes."""
    first = signatures[0]
    if passed.type == "constexpr":
        values = [s.constants[name] for s in signatures if s.types[name] == "constexpr" and name in s.constants]
        if not values or (first.types[name] != "constexpr" and passed.value is not None):
            return False
        return value_agrees(values[0], values[1:], passed.value)
    if isinstance(first.types[name], tuple) and isinstance(passed.type, tuple):
        return alike(first.types[name], passed.type, free)
    # A pointer that the launches in sight leave None has its type in the signature that passes one.
    present = next((s.types[name] for s in signatures if not _none(s, name)), "constexpr")
    return alike(present, passed.type, free)


def _none(signature: Signature, name: str) -> bool:
    return signature.types[name] == "constexpr" and signature.constants.get(name, 0) is None


def judge(signatures: Sequence[Signature], launches: Sequence[Launch]) -> list[Verdict]:
    first = signatures[0]
    strict = max(
        ({n for n, p in launch.items() if n in first.types and one([first], n, p, False)} for launch in launches),
        key=len,
    )
    verdicts: list[Verdict] = []
    for name in first.types:
        passed = [launch[name] for launch in launches if name in launch]
        if not passed:
            continue
        free = len({element(p.type) for p in passed if isinstance(p.type, str)} & CALLER) > 1
        seen = dict.fromkeys(str(p.type) if p.type != "constexpr" else repr(p.value) for p in passed)
        guessed = dict.fromkeys(
            str(s.types[name]) if s.types[name] != "constexpr" else repr(s.constants.get(name)) for s in signatures
        )
        evidence = first.evidence[name]
        verdicts.append(
            Verdict(
                name,
                ", ".join(guessed),
                ", ".join(list(seen)[:4]),
                f"{evidence.kind}: {evidence.detail}" + (f" ({evidence.place})" if evidence.place else ""),
                any(one(signatures, name, p, free) for p in passed),
                name in strict,
                evidence.certain,
            )
        )
    return verdicts


def compare(directory: Path) -> Package:
    package = Package(directory.name)
    recorder = Recorder()
    with recorder.recording():
        sys.path.insert(0, str(directory))
        calls = importlib.import_module("calls_" + directory.name.partition("-")[0])
        package.failed = calls.everything()
    project = Project([str(directory)], [str(directory), *filter(lambda p: Path(p).is_dir(), sys.path)], patient=True)
    names = {(where.file, where.name) for where in recorder.launches}
    for file in sorted(str(path) for path in directory.rglob("*.py") if b"jit" in path.read_bytes()):
        for function in project.module(file).functions:
            if (file, function.name) not in names and project.launches_of(function):
                package.silent.append(f"`{Path(file).relative_to(directory)}` `{function.name}`")
    for where, launches in sorted(recorder.launches.items(), key=lambda item: (item[0].file, item[0].line)):
        if not where.file.startswith(str(directory)):
            continue
        function = find(project, where)
        if function is None:
            package.unknown.append(where)
            continue
        package.kernels[where] = judge(infer(project, function, cut(project, function)), launches)
    return package


def find(project: Project, where: Where) -> JitFunction | None:
    for function in project.module(where.file).functions:
        first = min((d.lineno for d in function.node.decorator_list), default=function.node.lineno)
        if function.name == where.name and first == where.line:
            return function
    return None


def tell(package: Package, directory: Path) -> None:
    verdicts = [v for kernel in package.kernels.values() for v in kernel]
    print(f"\n## {package.name}: kernels driven\n")
    print("| kernel | parameters | agree | strictly |\n| --- | ---: | ---: | ---: |")
    for where, found in package.kernels.items():
        agree, strictly = sum(v.agrees for v in found), sum(v.strictly for v in found)
        file = Path(where.file).relative_to(directory)
        print(f"| `{file}:{where.line}` `{where.name}` | {len(found)} | {agree} | {strictly} |")
    print(f"\n### {package.name}: what does not agree\n")
    for where, found in package.kernels.items():
        for v in found:
            if not v.agrees:
                said = "**certain and wrong**: " if v.wrong else ""
                print(f"- {said}`{where.name}` `{v.name}`: guessed {v.guessed}; passed {v.passed}; {v.evidence}")
    print(f"\n### {package.name}: what agrees, but not strictly\n")
    for where, found in package.kernels.items():
        for v in found:
            if v.agrees and not v.strictly:
                print(f"- `{where.name}` `{v.name}`: guessed {v.guessed}; passed {v.passed}; {v.evidence}")
    kinds = Counter(v.evidence.partition(":")[0] for v in verdicts)
    good = Counter(v.evidence.partition(":")[0] for v in verdicts if v.agrees)
    print(f"\n### {package.name}: by evidence\n")
    for kind, count in kinds.most_common():
        print(f"- {kind}: {good[kind]} of {count}")
    for line in package.failed:
        print(f"- a call failed: {line}")
    for name in package.silent:
        print(f"- not driven: {name}")
    for where in package.unknown:
        print(f"- launched, but not found: {where}")


def main() -> None:
    packages = [(compare(directory), directory) for directory in (Path(a).resolve() for a in sys.argv[1:])]
    for package, directory in packages:
        tell(package, directory)
    print("\n| package | kernels | parameters | agree | strictly | certain | certain and wrong |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    total: list[Verdict] = []
    for package, _ in packages:
        verdicts = [v for kernel in package.kernels.values() for v in kernel]
        total += verdicts
        row(package.name, len(package.kernels), verdicts)
    row("all", sum(len(p.kernels) for p, _ in packages), total)
    sys.exit(any(v.wrong for v in total))


def row(name: str, kernels: int, verdicts: list[Verdict]) -> None:
    agree = 100 * sum(v.agrees for v in verdicts) / max(len(verdicts), 1)
    strictly = 100 * sum(v.strictly for v in verdicts) / max(len(verdicts), 1)
    certain, wrong = sum(v.certain for v in verdicts), sum(v.wrong for v in verdicts)
    print(f"| {name} | {kernels} | {len(verdicts)} | {agree:.1f}% | {strictly:.1f}% | {certain} | {wrong} |")


if __name__ == "__main__":
    main()
