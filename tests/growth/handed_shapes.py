"""What functions hand one another, and values that are made of one another."""

from __future__ import annotations

from growth.registry import host, lines, nest

# What functions hand one another.


@host(6)
def module_in_a_ring(n: int) -> str:
    return lines(n, lambda i: f"def f{i}(m):\n    f{(i + 1) % n}(m)\n    m.BLOCK = 1\n") + "f0(config)\n"


@host(4)
def module_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(m)\n" for i in range(n)) + "    m.BLOCK = 1\n"
    return lines(n, lambda i: f"def f{i}(m):\n{calls}") + "f0(config)\n"


@host(8)
def module_in_a_chain(n: int) -> str:
    return lines(n, lambda i: f"def f{i}(m):\n    f{i + 1}(m)\n") + f"def f{n}(m): pass\nf0(config)\n"


@host(6)
def module_by_names(n: int) -> str:
    inner = "".join(f"    a{i + 1} = a{i}\n" for i in range(n))
    return f"def f(a0):\n{inner}    a{n}.BLOCK = 1\nf(config)\n"


@host(4)
def module_by_names_to_all(n: int) -> str:
    calls = "".join(f"    c{i} = m\n    f{i}(c{i})\n    c{i}.BLOCK = 1\n" for i in range(n))
    return lines(n, lambda i: f"def f{i}(m):\n{calls}") + "f0(config)\n"


@host(4, "VALUE = OPTIONS['x']\n")
def dict_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(m)\n" for i in range(n)) + "    m.BLOCK = 1\n"
    return "OPTIONS = {'x': 1}\n" + lines(n, lambda i: f"def f{i}(m):\n{calls}") + "f0(OPTIONS)\n"


@host(4, "VALUE = OPTIONS.x\n")
def object_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(m)\n" for i in range(n)) + "    m.BLOCK = 1\n"
    made = "class Options:\n    def __init__(self): self.x = 1\nOPTIONS = Options()\n"
    return made + lines(n, lambda i: f"def f{i}(m):\n{calls}") + "f0(OPTIONS)\n"


@host(4, "VALUE = Options.x\n")
def class_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(m)\n" for i in range(n)) + "    m.BLOCK = 1\n"
    return "class Options:\n    x = 1\n" + lines(n, lambda i: f"def f{i}(m):\n{calls}") + "f0(Options)\n"


@host(4)
def kernel_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(k, x)\n" for i in range(n))
    return lines(n, lambda i: f"def f{i}(k, x):\n{calls}    k[(1,)](x, x, 1, N=2)\n") + "def go(x): f0(kernel, x)\n"


@host(4)
def language_to_all(n: int) -> str:
    calls = "".join(f"    f{i}(m)\n" for i in range(n)) + "    m.BLOCK = 1\n"
    return lines(n, lambda i: f"def f{i}(m):\n{calls}    setattr(m, name{i}, 1)\n") + "f0(tl)\n"


@host(4, "VALUE = f0(2)\n")
def called_by_all(n: int) -> str:
    calls = " + ".join(f"f{i}(a)" for i in range(n))
    return lines(n, lambda i: f"def f{i}(a):\n    return {calls}\n")


@host(6, "VALUE = f0(2)\n")
def called_twice(n: int) -> str:
    return lines(n, lambda i: f"def f{i}(a):\n    return f{i + 1}(a) + f{i + 1}(a)\n") + f"def f{n}(a): return a\n"


@host(6, "VALUE = f0(2)\n")
def called_in_a_chain(n: int) -> str:
    return lines(n, lambda i: f"def f{i}(a):\n    return f{i + 1}(a) + 1\n") + f"def f{n}(a): return a\n"


# Values made of one another.


@host(8, "VALUE = len(str(a0))\n")
def doubled(n: int) -> str:
    return "a0 = 1\n" + lines(n, lambda i: f"a{i + 1} = a{i} + a{i}\n") + f"a0 = a{n}\n"


@host(5, "VALUE = len(t)\n")
def doubled_tuples(n: int) -> str:
    return "a0 = (1, 2)\n" + lines(n, lambda i: f"a{i + 1} = (a{i}, a{i})\n") + f"t = a{n}\n"


@host(5, "VALUE = a0\n")
def assigned_back_and_forth(n: int) -> str:
    return "a0 = b0 = config\n" + lines(n, lambda i: "if torch.x: a0 = b0\nif torch.y: b0 = a0\n")


@host(8, "VALUE = a\n")
def aliases(n: int) -> str:
    return "a0 = config.BLOCK\n" + lines(n, lambda i: f"a{i + 1} = a{i}") + f"a = a{n}\n"


@host(8, "VALUE = a.BLOCK\n")
def module_aliases(n: int) -> str:
    return "a0 = config\n" + lines(n, lambda i: f"a{i + 1} = a{i}") + f"a = a{n}\n"


@host(8, "VALUE = f()\n")
def lambdas(n: int) -> str:
    return "f0 = lambda: 1\n" + lines(n, lambda i: f"f{i + 1} = lambda: f{i}() + 1") + f"f = f{n}\n"


@host(8, "VALUE = total\n")
def augmented(n: int) -> str:
    return "total = 0\n" + lines(n, lambda i: f"total += {i}")


@host(8, "VALUE = a\n")
def conditionals(n: int) -> str:
    return "a = 0\n" + lines(n, lambda i: f"if torch.cuda.is_available():\n    a = {i}\n")


@host(8, "VALUE = a\n")
def tests_of_one_another(n: int) -> str:
    return "a = 0\n" + lines(n, lambda i: f"if a == {i}:\n    a = a + {i}\n")


@host(20, "VALUE = a\n")
def elifs(n: int) -> str:
    return "a = 0\nif torch.x == 0: a = 1\n" + lines(n, lambda i: f"elif torch.x == {i}:\n    a = {i}")


@host(8, "VALUE = f(2)\n")
def elifs_of_a_function(n: int) -> str:
    return (
        "def f(x):\n    if x == -1: a = 1\n"
        + lines(n, lambda i: f"    elif x == {i}:\n        a = {i}")
        + "    return a\n"
    )


@host(5, "VALUE = a\n")
def ifs_nested(n: int) -> str:
    return "a = 0\n" + nest(n, lambda i: f"if torch.x{i}:", "a = 1")


@host(5, "VALUE = a\n")
def conditional_expressions(n: int) -> str:
    return "a = " + "".join(f"{i} if torch.x{i} else " for i in range(n)) + "0\n"


@host(10, "VALUE = X[3]\n")
def long_list(n: int) -> str:
    return "X = [" + ", ".join(map(str, range(n))) + "]\n"


@host(10, "VALUE = X['k3']\n")
def long_dict(n: int) -> str:
    return "X = {" + ", ".join(f"'k{i}': {i}" for i in range(n)) + "}\n"


@host(10, "VALUE = X['k3']\n")
def items_set(n: int) -> str:
    return "X = {}\n" + lines(n, lambda i: f"X['k{i}'] = {i}")


@host(10, "VALUE = X[3]\n")
def appended(n: int) -> str:
    return "X = []\n" + lines(n, lambda i: f"X.append({i})")


@host(10, "VALUE = len(X)\n")
def changed_in_functions(n: int) -> str:
    return "X = []\n" + lines(n, lambda i: f"def g{i}():\n    X.append({i})\n")


@host(10, "VALUE = X.a\n")
def attributes_set(n: int) -> str:
    return "class X: a = 1\n" + lines(n, lambda i: f"X.a{i} = {i}")


@host(8, "VALUE = X\n")
def sums(n: int) -> str:
    return "X = 1" + " + 1" * n + "\n"


@host(8, "VALUE = len(X)\n")
def strings_added(n: int) -> str:
    return "X = ''" + "".join(f" + 'a{i}'" for i in range(n)) + "\n"


@host(8, "VALUE = len(X)\n")
def strings_beside(n: int) -> str:
    return "X = (''" + "".join(f" 'a{i}'\n" for i in range(n)) + ")\n"


@host(8, "VALUE = len(X)\n")
def format_strings(n: int) -> str:
    return "y = 1\nX = f'" + "".join(f"{{y}} {i}" for i in range(n)) + "'\n"


@host(5, "VALUE = len(X)\n")
def comprehensions(n: int) -> str:
    return lines(n, lambda i: f"X{i} = [a + {i} for a in range(3)]") + f"X = X{n - 1}\n"


@host(5, "VALUE = X\n")
def attribute_chain(n: int) -> str:
    return "X = config" + ".a" * n + "\n"


@host(5, "VALUE = X\n")
def call_chain(n: int) -> str:
    return "X = config.f" + "()" * n + "\n"


@host(5, "VALUE = X\n")
def calls_nested(n: int) -> str:
    return "def g(x): return x\nX = " + "g(" * n + "1" + ")" * n + "\n"
