"""Many statements of one kind, or in one another."""

from __future__ import annotations

from growth.registry import host, lines, nest

# Statements.


@host(20)
def comments(n: int) -> str:
    return lines(n, lambda i: f"# setattr(config, name{i}, {i}); config.X{i} = {i}")


@host(20)
def commented_out(n: int) -> str:
    return lines(n, lambda i: f"#config.BLOCK = {i}  # or 'this{i}'\n#    vars(config)['a'] = {i}")


@host(20)
def comments_in_brackets(n: int) -> str:
    return "A = [\n" + lines(n, lambda i: f"    {i},  # config.BLOCK = {i}") + "]\n"


@host(20)
def docstrings(n: int) -> str:
    return lines(
        n, lambda i: f'def d{i}():\n    """Sets config.BLOCK = {i}.\n\n    >>> setattr(config, x, {i})\n    """\n'
    )


@host(10)
def module_stores(n: int) -> str:
    return lines(n, lambda i: f"config.X{i} = {i}")


@host(10)
def same_module_store(n: int) -> str:
    return lines(n, lambda i: f"if torch.x{i}: config.BLOCK = {i}")


@host(10)
def setattrs(n: int) -> str:
    return lines(n, lambda i: f"setattr(config, 'X{i}', {i})")


@host(10)
def setattrs_in_functions(n: int) -> str:
    return lines(n, lambda i: f"def s{i}(m, name):\n    setattr(m, name, {i})\n")


@host(10)
def setattrs_of_one_another(n: int) -> str:
    return lines(n, lambda i: f"def s{i}(m, name):\n    setattr(m, name, {i})\n    s{(i * 7 + 3) % n}(m.a, name)\n")


@host(10)
def global_dict(n: int) -> str:
    return lines(n, lambda i: f"globals()['g{i}'] = {i}")


@host(10, "VALUE = v\n")
def global_statements(n: int) -> str:
    return "v = 1\n" + lines(n, lambda i: f"def s{i}():\n    global v\n    v = {i}\n")


@host(10)
def trys(n: int) -> str:
    return lines(n, lambda i: f"try:\n    import lib{i}\nexcept ImportError:\n    lib{i} = None")


@host(5)
def trys_nested(n: int) -> str:
    return nest(n, lambda i: "try:", "x = 1") + "".join(
        f"{'    ' * i}except E{i}:\n{'    ' * (i + 1)}x = {i}\n" for i in reversed(range(n))
    )


@host(5)
def withs_nested(n: int) -> str:
    return nest(n, lambda i: f"with open('{i}') as w{i}:", "x = 1")


@host(10, "VALUE = a\n")
def withs(n: int) -> str:
    return "a = 0\n" + lines(n, lambda i: f"with open('{i}') as w{i}:\n    a = {i}")


@host(10, "VALUE = f(3)\n")
def match_cases(n: int) -> str:
    return "def f(x):\n    match x:\n" + lines(n, lambda i: f"        case {i}: return {i + 1}")


@host(10, "VALUE = f(3)\n")
def early_returns(n: int) -> str:
    return "def f(x):\n" + lines(n, lambda i: f"    if x == {i + 5}: return {i}") + "    return x\n"


@host(10, "VALUE = a\n")
def loops(n: int) -> str:
    return "a = 0\n" + lines(n, lambda i: f"for i{i} in range(2):\n    a += i{i}")


@host(4, "VALUE = a\n")
def loops_nested(n: int) -> str:
    return "a = 0\n" + nest(n, lambda i: f"for i{i} in range(2):", "a += 1")


@host(10, "VALUE = C0.a\n")
def classes_derived(n: int) -> str:
    return "class C:\n    a = 1\n" + lines(n, lambda i: f"class C{n - 1 - i}(C{n - i if i else ''}): pass")


@host(5, "VALUE = C0.a\n")
def classes_of_all(n: int) -> str:
    return "class C:\n    a = 1\n" + lines(
        n, lambda i: f"class C{n - 1 - i}({', '.join(f'C{j}' for j in range(n - i, n)) or 'C'}): pass"
    )


@host(10, "VALUE = C().m3()\n")
def methods(n: int) -> str:
    return "class C:\n" + lines(n, lambda i: f"    def m{i}(self): return {i}")


@host(8, "VALUE = C().m0()\n")
def methods_of_one_another(n: int) -> str:
    return (
        "class C:\n"
        + lines(n, lambda i: f"    def m{i}(self): return self.m{i + 1}()")
        + f"    def m{n}(self): return 1\n"
    )


@host(8, "VALUE = g()\n")
def decorators(n: int) -> str:
    return "def d(f): return f\n" + "@d\n" * n + "def g(): return 1\n"


@host(8, "VALUE = g(1)\n")
def parameters(n: int) -> str:
    return f"def g({', '.join(f'a{i}={i}' for i in range(n))}): return a0\n"


@host(10, "VALUE = 1\n")
def bound_often(n: int) -> str:
    return lines(n, lambda i: "tool = torch.x") + "setattr(tool, name, 1)\n"
