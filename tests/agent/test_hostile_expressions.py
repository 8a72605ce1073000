"""Expressions that nobody could run: wherever host code is read for what a kernel is compiled with, there is an answer
within a moment, and nothing but the kernel concerned is without facts."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.kernels import ADD
from agent.process import REPOSITORY, Agent
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.follow import UNKNOWN, Follower

SECONDS = 30

EXPRESSIONS = [
    # Numbers.
    "9**9**9", "9**9**9 % 7", "(9**99)**99", "2**(2**30)", "2.0**99999", "(-8)**0.5", "0**-1", "1 << 10**9", "1 << -1",
    "1 >> 10**9", "10**400 * 1.0", "float(10**400)", "10**4000 % 7", "0xffff ** 0xffff", "int('9' * 10**6)",
    "int('9' * 900) ** 9", "str(2**4000)", "str(9**9999)", "len(str(9**9999))", "round(1.5, 10**9)", "round(10**300, -10**9)",
    "pow(9, 9**9)", "pow(2, 10**9, 7)", "divmod(10**4000, 3)", "-math.inf", "int(math.inf)", "int(math.nan)", "math.nan // 0",
    "math.factorial(10**6)", "math.comb(10**6, 5 * 10**5)", "math.perm(10**6, 10**6)", "math.gcd(*range(10**9))",
    "math.exp(10**9)", "math.log(0)", "math.sqrt(-1)", "math.prod(range(1, 10**7))", "1 / 0", "1 % 0", "5 // 0.0", "~'x'", "-'x'",
    "-(1, 2)", "not {}", "1j ** 10**9", "abs(-9**9**9)", "max(9**9**9, 1)", "sum([9**99] * 10**6)", "hash('x')", "True << 10**12",
    "float('nan')", "1e308 * 10", "0.1 ** 10**10", "triton.next_power_of_2(9**9**9)", "triton.cdiv(9**9**9, 7)", "triton.cdiv(1, 0)",
    # Text.
    "'a' * 10**10", "10**10 * 'a'", "'%*d' % (10**9, 1)", "'%1000000000d' % 5", "'%.1000000000f' % 1.5", "'{:1000000000}'.format(1)",
    "'{:{}}'.format(1, 10**9)", "'{0:{1}}'.format(1, 10**9)", "f'{1:1000000000}'", "f'{1:{10**9}}'", "format(1, '1000000000')",
    "'a'.ljust(10**10)", "'a'.zfill(10**10)", "'a'.center(10**10)", "'\\t'.expandtabs(10**10)", "'ab'.replace('', 'x' * 10**6)",
    "','.join(['x' * 10**5] * 10**5)", "('x' * 9999).join('y' * 9999)", "'a' in 'b' * 10**10", "bytes(10**10)", "bytearray(10**10)",
    "'{0.__class__.__mro__}'.format(1)", "'{0[0]}'.format((1,))", "'x'.__class__", "repr('x' * 10**9)", "chr(10**9)", "'a'[10**9]",
    # Sequences.
    "range(10**9)", "list(range(10**9))", "tuple(range(10**9))", "[0] * 10**9", "10**9 * (0,)", "((0,) * 4096) * 4096",
    "[x for x in range(10**9)]", "[y for x in range(4000) for y in range(4000)]", "{x: x for x in range(10**9)}",
    "[[x] * 4096 for x in range(4096)]", "[z for a in range(99) for b in range(99) for c in range(99) for z in range(99)]",
    "sorted(range(10**9))", "sum(range(10**12))", "list(zip(range(10**9), range(10**9)))", "[*range(10**9)]", "(1, 2)[10**9]",
    "[*[0] * 4096, *[0] * 4096, *[0] * 4096]", "list(map(lambda x: [x] * 4096, range(4096)))", "{'k': 1}[[]]", "{'k': 1}[{}]",
    "{(): 1}[((),)]", "{'k': 1}.get([])", "{[]: 1}", "{**{'k': 1}, **{'k': 2}}[()]", "set([[]])", "range(0, 1, 0)", "range()",
    "itertools.product(range(4096), range(4096))", "list(itertools.product(*[range(99)] * 99))", "itertools.count()", "(lambda: 1)[0]",
    # Functions.
    "forever(1)", "deep(1)", "bush(60)", "shared()", "shared() == shared()", "[shared()] == [shared()]", "doubled()", "merged()",
    "(lambda f: f(f))(lambda f: f(f))", "(lambda n: n(n)(n))(lambda n: n)", "[f for f in [lambda: f]][0]()", "looped()", "grown()",
    "getattr(1, '__class__')", "getattr(triton, '__builtins__')", "__import__('os').getpid()", "eval('1')", "exec('1')", "open('/dev/zero').read()",
    "print(1)", "input()", "globals()", "type('X', (), {})", "object()", "os.system('true')", "os.environ['HOME']", "compile('1', '', 'eval')",
]  # fmt: skip

FUNCTIONS = """\
import functools
import itertools
import math
import os


def forever(n):
    return forever(n + 1)


def deep(n):
    return 1 + deep(n) + deep(n)


def bush(n):
    return n if n < 2 else bush(n - 1) + bush(n - 2)


def shared():
    made = (1,)
    for i in range(64):
        made = (made, made)
    return made


def doubled():
    made = "x"
    for i in range(64):
        made = made + made
    return made


def merged():
    made = {"k": 1}
    for i in range(64):
        made = made | made
    return made


def looped():
    total = 1
    for i in range(4000):
        for j in range(4000):
            total = total * 3
    return total


def grown():
    made = []
    for i in range(4000):
        made.append(made)
    return made


"""


def text(expression: str) -> str:
    """The expression in every place that is looked at for a value, each above, in or below a kernel of its own."""
    body = ADD.partition("@triton.jit")[2]
    made = [ADD]
    for name, above, parameters in (
        ("of_constant", "", "x_ptr, N"),
        ("of_config", f"@triton.autotune(configs=[triton.Config({{'B': {expression}}}, num_warps={expression})], key=[{expression}])\n", "x_ptr, B: tl.constexpr"),
        ("of_heuristic", f"@triton.heuristics({{'B': lambda args: {expression}}})\n", "x_ptr, B: tl.constexpr"),
        ("of_default", "", f"x_ptr, B: tl.constexpr = {expression}"),
        ("of_annotation", "", f"x_ptr, B: {expression}"),
        ("of_launch", "", "x_ptr, n, B: tl.constexpr"),
        ("of_pragma", f"# triton-ls: B = {expression}\n", "x_ptr, B: tl.constexpr"),
        ("of_run_pragma", f"# triton-run: grid = ({expression},), B = {expression}, x_ptr = randn({expression})\n", "x_ptr, B: tl.constexpr"),
        ("of_body", "", "x_ptr, B: tl.constexpr"),
    ):  # fmt: skip
        inside = {"of_constant": "    tl.store(x_ptr, VALUE)\n", "of_body": f"    tl.store(x_ptr, {expression})\n"}
        made.append(f"{above}@triton.jit\ndef {name}({parameters}):\n{inside.get(name, '    tl.store(x_ptr, B)')}\n")
    launch = f"def launch(x):\n    n = {expression}\n    of_launch[({expression},)](x, n, B={expression}, num_warps={expression})\n"
    made[1:1] = [f"VALUE = {expression}\n", f"FLAG = VALUE == {expression} and VALUE < 3\nif FLAG:\n    VALUE = 1\n"]
    assert body
    return FUNCTIONS + "\n\n".join([*made, launch])


@pytest.fixture(scope="module")
def agent(root: Path) -> Iterator[Agent]:
    with Agent(root) as process:
        yield process


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_costs_a_moment_and_at_most_its_kernel(expression: str, agent: Agent, root: Path) -> None:
    start = time.monotonic()
    answer = agent.show(root / "expressions.py", text(expression))
    assert time.monotonic() - start < SECONDS
    assert answer.reports["add"]["status"] == "analyzed"
    said = [p["message"] for report in answer.reports.values() for p in report["problems"]]
    assert not any("the analysis failed on this function" in message for message in said), said
    assert len(answer.reports) == 10
    assert not (root / "pwned").exists()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_following_a_launch_takes_a_moment(expression: str, tmp_path: Path) -> None:
    file = tmp_path / "host.py"
    file.write_text(FUNCTIONS + "import triton\n")
    follower = Follower(Project([str(tmp_path)], []), lambda name, rank: (4,) * rank, lambda name, kind: 4, 1)
    start = time.process_time()
    node = ast.parse(f"lambda: {expression}", mode="eval").body
    found = follower.apply(str(file), node, [])
    assert time.process_time() - start < 5
    assert found is UNKNOWN or len(repr(found)) < 100_000


EVALUATORS = (
    "source",
    "host",
    "kernels",
    "signature",
    "attempt",
    "launch/follow",
    "launch/plan",
    "custom_op",
    "rules",
)
FORBIDDEN = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "import_module",
    "literal_eval",
    "parse",
    "vars",
    "setattr",
    "delattr",
}
RESOLVERS = ("resolver.import_module", "self.import_module")  # which looks for a file
KNOWN = {
    ("host/decorators/aggregates.py", "ast.parse"): "of an annotation, no longer than one is",
    ("host/decorators/decorations.py", "vars"): "of `type` and `object`, when the module is imported",
    ("kernels/find.py", "ast.parse"): "of a head with the name of a function and no more",
    ("source/parsing/parse.py", "ast.parse"): "the one place where text becomes a tree",
    (
        "source/parsing/newer_strings.py",
        "ast.parse",
    ): "of what stands between the braces of a string, nested twenty times",
    ("signature/fitting.py", "ast.parse"): "of an expression of a text that was parsed",
    ("signature/evidence/pinned.py", "ast.literal_eval"): "of a tree that is short and not deep",
    ("launch/follow/host_syntax.py", "ast.literal_eval"): "of an index",
    ("kernels/project.py", "parse"): "of `source.parse`",
    ("host/evaluate/pure.py", "string.Formatter().parse"): "which fields a format has",
}


def test_nothing_that_looks_can_run() -> None:
    """Neither by Python's own evaluators nor by attributes whose names the user chooses."""
    package = REPOSITORY / "analysis" / "kernel_analysis"
    found: set[tuple[str, str]] = set()
    for room in EVALUATORS:
        files = [package / room] if room.endswith(".py") else sorted((package / room).rglob("*.py"))
        for file in files:
            where = str(file.relative_to(package))
            for node in ast.walk(ast.parse(file.read_text())):
                if not isinstance(node, ast.Call):
                    continue
                called = ast.unparse(node.func)
                last = called.rpartition(".")[2]
                # `resolver.import_module` and `re.compile` only share the name.
                if last in FORBIDDEN and called != "re.compile" and not called.endswith(RESOLVERS):
                    found.add((where, called))
                if called == "getattr":
                    _harmless(where, node)
    assert found == KNOWN.keys()


def _harmless(where: str, call: ast.Call) -> None:
    """A `getattr` on a syntax tree, or with a name that is ours."""
    owner, name = ast.unparse(call.args[0]), ast.unparse(call.args[1])
    of_trees = (
        "node",
        "function",
        "statement",
        "e.node",
        "outer",
        "scope.node",
        "definition.node",
        "expression",
        "config[name]",
    )
    listed = {("host/evaluate/pure.py", "owner", "name"), ("source/arithmetic.py", "math", "name")}
    assert isinstance(call.args[1], ast.Constant) or owner in of_trees or (where, owner, name) in listed, (where, owner)
