"""Kernels in string literals are found, and every position in them is the one that it has in the user's file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, bound, find, names, sliced, write
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Constant, FunctionRef
from kernel_analysis.span import Span

KERNEL = HEAD + "@triton.jit\ndef kernel(p, N: tl.constexpr):\n    tl.store(p, N + 17)\n"


def project_of(folder: Path, text: str) -> tuple[Project, Path]:
    file = folder / "work/m.py"
    file.write_bytes(text.encode())
    return write(folder), file


def shown(module: Module, span: Span) -> str:
    """What stands at the span."""
    lines = module.lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def checked(folder: Path, text: str, name: str = "kernel") -> int:
    """How many names and numbers of a kernel stand where their positions say."""
    project, file = project_of(folder, text)
    function, module = find(project, file, name), project.module(str(file))
    assert shown(module, function.name_span) == name
    assert [shown(module, p.span).split(":")[0].strip() for p in function.parameters] == [
        p.name for p in function.parameters
    ]
    count = 0
    for node in sliced(project, file, name).functions[0].nodes:
        if isinstance(node, ast.Name):
            assert shown(module, module.span(node)) == node.id
            count += 1
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            assert shown(module, module.span(node)) == str(node.value)
            count += 1
        elif isinstance(node, ast.Attribute):
            assert shown(module, module.span(node)) == ast.unparse(node)
            count += 1
    return count


@pytest.mark.parametrize(
    "text",
    [
        f"k = load('kernel', '''\n{KERNEL}''', device='cuda')\n",
        f"k = load('''{KERNEL}''')\n",
        f"k = load(r'''{KERNEL}''')\n",
        f'class A:\n    def f(self):\n        return load(name="é", text="""{KERNEL}""")\n',
        f"k = load({KERNEL!r})\n",
        f"é = [load('é', {KERNEL!r})]\n",
        "k = load(\n" + "".join(f"    {line!r}\n" for line in KERNEL.splitlines(keepends=True)) + ")\n",
        f"k = load('''\\\n{KERNEL}''')\n",
        f"k = load('''# \\x41\\u00e9\\N{{BULLET}}\\101\\q é \\\\ \n{KERNEL}''')\n",
        f"\ufeffk = load('''{KERNEL}''')\n",
        f"k = load('''{KERNEL}''')\n".replace("\n", "\r\n"),
        f"if load('''{KERNEL}'''): pass\n",
        f"load(1)(2, [], *x, text='''{KERNEL}''').run\n",
    ],
    ids=[
        "as-generated", "first-line", "raw", "nested", "one-line", "one-line-beyond-ascii", "side-by-side",
        "continued", "escapes", "bom", "crlf", "condition", "chained",
    ],
)  # fmt: skip
def test_positions_map_into_the_file(folder: Path, text: str) -> None:
    assert checked(folder, text) == 7


def test_an_escape_beside_the_code_moves_it(folder: Path) -> None:
    text = KERNEL.replace("    tl.store", "    '\\\\t\\\\\\\\é\\u00e9'; tl.store")
    assert checked(folder, f"k = load('''{text}''')\n") == 7


@pytest.mark.parametrize(
    "text",
    [
        f"text = '''{KERNEL}'''\n",
        f"load(f'''{KERNEL}''')\n",
        f"load('''{KERNEL}'''.strip())\n",
        f"load(b'''{KERNEL}''')\n",
        f"load('''{KERNEL} (''')\n",
        f"load('''{KERNEL.replace('import triton', 'import other')}''')\n",
        "load('''A page about @triton.jit, which is no code.''')\n",
        "import triton\nload('''@triton.jit\ndef kernel(p): pass\n''')\n",
    ],
    ids=["no-call", "f-string", "changed", "bytes", "broken", "not-triton", "prose", "no-import"],
)
def test_other_strings_are_left_alone(folder: Path, text: str) -> None:
    project, file = project_of(folder, text)
    assert names(project, file) == []


def test_names_mean_what_they_mean_in_the_string(folder: Path) -> None:
    inner = "SIZE = tl.constexpr(4)\n@triton.jit\ndef helper(x):\n    return x\n" + KERNEL.replace(
        "N + 17", "helper(SIZE)"
    )
    outer = HEAD + "SIZE = tl.constexpr(5)\n@triton.jit\ndef helper(x):\n    return x + SIZE\n"
    project, file = project_of(folder, f"{outer}k = load('''{HEAD}{inner}''')\n")
    assert names(project, file) == ["helper", "helper", "kernel"]
    size, helper = bound(project, file, "SIZE"), bound(project, file, "helper")
    assert isinstance(size, Constant)
    assert size.value == 4
    assert isinstance(helper, FunctionRef)
    called = sliced(project, file, "kernel").functions[helper.index]
    assert called.node.lineno > outer.count("\n")


def test_two_kernels_of_one_line_are_two(folder: Path) -> None:
    text = KERNEL + "@triton.jit\ndef other(p):\n    tl.load(p)\n"
    project, file = project_of(folder, f"k = load({text!r})\n")
    assert names(project, file) == ["kernel", "other"]
    first, second = (sliced(project, file, name).functions[0] for name in ("kernel", "other"))
    assert first.digest != second.digest


def test_an_edit_above_moves_them_and_changes_nothing_else(folder: Path) -> None:
    project, file = project_of(folder, f"k = load('''{KERNEL}''')\n")
    before, key = find(project, file, "kernel").span, sliced(project, file, "kernel").hash
    project.set_text(str(file), f"# one more\n\nk = load('''{KERNEL}''')\n")
    assert find(project, file, "kernel").span.line == before.line + 2
    assert sliced(project, file, "kernel").hash == key


def test_an_error_elsewhere_in_the_file_costs_them_nothing(folder: Path) -> None:
    project, file = project_of(folder, f"k = load('kernel', '''\n{KERNEL}''', device='cuda')\n\ndef f(:\n    pass\n")
    assert names(project, file) == ["kernel"]
    assert [problem.span.line for problem in project.module(str(file)).problems] == [9]


def _indented(text: str, by: str = "    ") -> str:
    return "".join(f"{by}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def test_an_indented_module_is_read_where_it_stands(folder: Path) -> None:
    text = f"def make():\n    return load(textwrap.dedent('''\n{_indented(KERNEL, ' ' * 8)}    '''))\n"
    assert checked(folder, text) == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"load(f'''{KERNEL}''')\n", "it is put together when the program runs"),
        (f"load(f'''\n{KERNEL.replace('def kernel', 'def {name}')}''')\n", "it is put together when the program runs"),
        (f"load('''{KERNEL}'''.format(3))\n", "it is put together when the program runs"),
        (f"load('''{KERNEL}''' % 3 + rest)\n", "it is put together when the program runs"),
        (f"load('''{KERNEL} (''')\n", "its text does not parse, "),
        (f"load('''{KERNEL.replace('def kernel(p', 'def {{name}}(p')}''')\n", "its text does not parse"),
        (f"load(dedent('''\\\n{_indented(KERNEL)}'''))\n", "it is indented, and that can't be followed here"),
    ],
    ids=["f-string", "f-string-name", "format", "percent", "broken", "template", "indented"],
)
def test_what_can_not_be_read_is_not_lost_silently(folder: Path, text: str, reason: str) -> None:
    project, file = project_of(folder, f"x = 1\n\n{text}")
    (string,) = project.module(str(file)).unread
    assert string.lines[0] == 3
    assert string.reason.startswith(reason)
    assert names(project, file) == []


@pytest.mark.parametrize(
    "text",
    [
        "print('''Use @triton.jit for this (''')\n",
        "print(f'''Use\n@triton.jit\nfor {this}''')\n",
        "load(f'''import cutlass.cute as cute\n\n\n@cute.jit\ndef {name}():\n    pass\n''')\n",
        "load('''\n@other.jit\ndef {name}(x: other.Constexpr):\n    return x\n''')\n",
        f"text = f'''{KERNEL}'''\n",
        f"'''{KERNEL} ('''\n",
    ],
)
def test_text_about_kernels_is_no_kernel(folder: Path, text: str) -> None:
    project, file = project_of(folder, text)
    assert project.module(str(file)).unread == []


def test_a_kernel_in_a_string_that_does_not_parse_now_is_stale(folder: Path) -> None:
    project, file = project_of(folder, f"k = load('''{KERNEL}''')\n")
    assert not find(project, file, "kernel").stale
    project.set_text(str(file), f"# one more\n\nk = load('''{KERNEL.replace('17)', '17')}''')\n")
    stale = find(project, file, "kernel")
    assert stale.stale
    module = project.module(str(file))
    assert shown(module, stale.name_span) == "kernel"


@pytest.mark.parametrize(
    ("text", "found", "unread"),
    [
        (f"SRC = '''\n{KERNEL}'''\nexec(SRC, {{}})\n", 1, 0),
        (f"class C:\n    SRC = '''\n{KERNEL}'''\n    def go(self):\n        file.write_text(self.SRC)\n", 1, 0),
        (f"ALL = {{'a': '''\n{KERNEL}'''}}\nexec(ALL['a'])\n", 1, 0),
        (f"SRC = '''\n{KERNEL}'''\nexec(SRC.format(N=3))\n", 0, 1),
        (f"SRC = '''\n{KERNEL}'''\nexec('import os' + SRC)\n", 0, 1),
        (f"SRC = '''\n{KERNEL}'''\nSRC += extra\nexec(SRC)\n", 0, 1),
        (f"def make(name):\n    src = f'''\n{KERNEL}    # {{name}}\n'''\n    file.write(src)\n", 0, 1),
        ("LINES = ['import triton', '@triton.jit', 'def kernel(p):', '    pass']\nexec('\\n'.join(LINES))\n", 0, 1),
        (
            "def make(out):\n    out.line('@triton.jit')\n    out.line(f'def {name}(p):')\n    out.line('    pass')\n",
            0,
            1,
        ),
        (f"SRC = '''\n{KERNEL}'''\n", 0, 0),
        (f"def f():\n    '''Writes kernels.\n\n{KERNEL}'''\n", 0, 0),
        ("found = '@triton.jit' in text\nassert text.find('@triton.jit') > 0\n", 0, 0),
    ],
)
def test_texts_that_names_hold(tmp_path: Path, text: str, found: int, unread: int) -> None:
    (tmp_path / "work").mkdir()
    project, file = project_of(tmp_path, text)
    module = project.module(str(file))
    assert (len(module.embedded), len(module.unread)) == (found, unread)


def test_what_runs_a_text_may_bring_names(tmp_path: Path) -> None:
    kernel = KERNEL.replace("17", "OFFSET")
    (tmp_path / "work").mkdir()
    project, file = project_of(tmp_path, f"SRC = '''\n{kernel}'''\nexec(SRC, {{'OFFSET': 3}})\n")
    binding = bound(project, file, "OFFSET")
    assert "in this string" in str(binding)
    assert "nowhere=True" not in str(binding)
