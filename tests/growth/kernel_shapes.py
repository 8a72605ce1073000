"""Launches, what stands on kernels, kernels, and what goes over several files."""

from __future__ import annotations

from collections.abc import Iterator

from growth.registry import HEAD, KERNEL, Files, host, kernel, lines, many, nest

# Triton's.


@host(5, "VALUE = 1\n")
def launches(n: int) -> str:
    return lines(n, lambda i: f"def launch{i}(x):\n    kernel[(1,)](x, x, {i}, N={i})\n")


@host(5, "VALUE = 1\n")
def launches_of_a_function(n: int) -> str:
    return "def go(x):\n" + lines(n, lambda i: f"    kernel[(1,)](x, x, {i}, N=16)\n")


@host(4, "VALUE = 1\n")
def launches_in_a_chain(n: int) -> str:
    calls = lines(n, lambda i: f"def go{i}(x, b):\n    go{i + 1}(x, b)\n    kernel[(1,)](x, x, {i}, N=b)\n")
    return calls + f"def go{n}(x, b): pass\ndef start(x): go0(x, 16)\n"


@host(4, "VALUE = 1\n")
def kernels(n: int) -> str:
    kernel = "@triton.jit\ndef k{0}(p, N: tl.constexpr):\n    tl.store(p, {0})\n\n\n"
    return lines(n, lambda i: kernel.format(i) + f"def l{i}(x):\n    k{i}[(1,)](x, N={i})\n")


@host(5, "VALUE = 1\n")
def configs(n: int) -> str:
    made = ", ".join(f"triton.Config({{'N': {16 << i % 4}}}, num_stages={1 + i})" for i in range(n))
    return (
        f"@triton.autotune([{made}], key=['n'])\n@triton.jit\ndef tuned(p, n, N: tl.constexpr):\n    tl.store(p, 1)\n"
    )


@host(5, "VALUE = 1\n")
def heuristics(n: int) -> str:
    made = ", ".join(f"'H{i}': lambda a: a['N'] + {i}" for i in range(n))
    given = ", ".join(f"H{i}: tl.constexpr" for i in range(n))
    return (
        f"@triton.heuristics({{{made}}})\n@triton.jit\ndef tuned(p, N: tl.constexpr, {given}):\n    tl.store(p, H0)\n"
    )


@host(5, "VALUE = 1\n")
def heuristics_stacked(n: int) -> str:
    made = lines(n, lambda i: f"@triton.heuristics({{'H{i}': lambda a: a['N'] + {i}}})")
    given = ", ".join(f"H{i}: tl.constexpr" for i in range(n))
    return f"{made}@triton.jit\ndef tuned(p, N: tl.constexpr, {given}):\n    tl.store(p, H0)\n"


# Kernels.


@kernel(6)
def arms(n: int) -> str:
    return "a = 0\nif N == -1:\n    a = 1\n" + lines(n, lambda i: f"elif N == {i}:\n    a = {i}")


@kernel(6)
def arms_at_run_time(n: int) -> str:
    return "a = 0\nif n == -1:\n    a = 1\n" + lines(n, lambda i: f"elif n == {i}:\n    a = {i}")


@kernel(6)
def branches(n: int) -> str:
    return "a = 0\n" + lines(n, lambda i: f"if n == {i}:\n    a = {i}")


@kernel(6)
def constant_branches(n: int) -> str:
    return lines(n, lambda i: f"if N == {i}:\n    tl.store(p + {i}, {i})")


@kernel(4)
def loops_one_by_one(n: int) -> str:
    return "a = 0.0\n" + lines(n, lambda i: f"for i in range(n):\n    a += tl.load(p + i + {i})") + "tl.store(q, a)\n"


@kernel(2)
def loops_in_loops(n: int) -> str:
    return "a = 0.0\n" + nest(n, lambda i: f"for i{i} in range(n):", "a += tl.load(p + i0)") + "tl.store(q, a)\n"


@kernel(10)
def stores(n: int) -> str:
    return lines(n, lambda i: f"tl.store(q + {i}, {i}.0)")


@kernel(10)
def pointers_of_pointers(n: int) -> str:
    return "a0 = p\n" + lines(n, lambda i: f"a{i + 1} = a{i} + {i}") + f"tl.store(a{n}, 1.0)\n"


@kernel(6)
def doubled_values(n: int) -> str:
    return "a0 = tl.load(p)\n" + lines(n, lambda i: f"a{i + 1} = a{i} + a{i}") + f"tl.store(q, a{n})\n"


@kernel(6)
def doubled_constants(n: int) -> str:
    made = "A0: tl.constexpr = tl.constexpr(1)\n" + lines(n, lambda i: f"A{i + 1} = tl.constexpr(A{i} + A{i})")
    return f"{made}---\ntl.store(q, A{n} % 7)\n"


@kernel(10)
def constants(n: int) -> str:
    made = lines(n, lambda i: f"A{i} = tl.constexpr({i})")
    return f"{made}---\n" + lines(n, lambda i: f"tl.store(q + {i}, A{i})")


@kernel(10)
def kernel_comments(n: int) -> str:
    return lines(n, lambda i: f"# tl.store(p + {i}, {i})")


@kernel(6)
def unrolled(n: int) -> str:
    return f"for i in tl.static_range({n}):\n    tl.store(q + i, tl.load(p + i))\n" + lines(n, lambda i: f"b{i} = {i}")


@kernel(4)
def helpers_in_a_chain(n: int) -> str:
    made = lines(n, lambda i: f"@triton.jit\ndef h{i}(p, a):\n    return h{i + 1}(p, a) + 1\n")
    return f"{made}\n@triton.jit\ndef h{n}(p, a):\n    return tl.load(p) + a\n---\ntl.store(q, h0(p, n))\n"


@kernel(3)
def helpers_called_twice(n: int) -> str:
    made = lines(n, lambda i: f"@triton.jit\ndef h{i}(p, a):\n    return h{i + 1}(p, a) + h{i + 1}(p, a)\n")
    return f"{made}\n@triton.jit\ndef h{n}(p, a):\n    return tl.load(p) + a\n---\ntl.store(q, h0(p, n))\n"


@kernel(4)
def helpers_given_helpers(n: int) -> str:
    made = lines(n, lambda i: f"@triton.jit\ndef h{i}(p, f: tl.constexpr):\n    return h{i + 1}(p, f) + f(p)\n")
    last = f"@triton.jit\ndef h{n}(p, f: tl.constexpr):\n    return f(p)\n"
    return f"{made}\n{last}@triton.jit\ndef g(p): return tl.load(p)\n---\ntl.store(q, h0(p, g))\n"


@kernel(4)
def helpers(n: int) -> str:
    made = lines(n, lambda i: f"@triton.jit\ndef h{i}(p):\n    return tl.load(p + {i})\n")
    return f"{made}---\n" + lines(n, lambda i: f"tl.store(q + {i}, h{i}(p))")


# Across files.


def _main(imports: str, value: str) -> str:
    return f"{HEAD}{imports}VALUE = {value}\n{KERNEL}"


@many(4)
def import_chain(n: int) -> Files:
    parts = {f"m{i}.py": f"from m{i + 1} import X\n" for i in range(n)}
    return {"main.py": _main("from m0 import X\n", "X"), **parts, f"m{n}.py": "X = 1\n"}


@many(3)
def star_chain(n: int) -> Files:
    parts = {f"m{i}.py": f"from m{i + 1} import *\n" for i in range(n)}
    return {"main.py": _main("from m0 import *\n", "X"), **parts, f"m{n}.py": "X = 1\n"}


@many(2)
def stars_of_all(n: int) -> Files:
    def of(one: int) -> Iterator[str]:
        return (f"from m{i} import *\n" for i in range(n) if i != one)

    return {"main.py": _main("from m0 import *\n", "X"), **{f"m{i}.py": "".join(of(i)) for i in range(n)}}


@many(2)
def imports_of_all(n: int) -> Files:
    def of(one: int) -> Iterator[str]:
        return (f"try: from m{i} import X\nexcept ImportError: pass\n" for i in range(n) if i != one)

    return {"main.py": _main("from m0 import X\n", "X"), **{f"m{i}.py": "".join(of(i)) for i in range(n)}}


@many(4)
def handed_through_files(n: int) -> Files:
    parts = {
        f"m{i}.py": f"from m{(i + 1) % n} import f{(i + 1) % n}\ndef f{i}(m):\n    f{(i + 1) % n}(m)\n"
        for i in range(n)
    }
    return {"main.py": _main("from m0 import f0\nf0(config)\n", "config.BLOCK"), **parts}


@many(3)
def handed_through_all_files(n: int) -> Files:
    def of(one: int) -> str:
        imports = "".join(f"from m{i} import f{i}\n" for i in range(n) if i != one)
        return f"{imports}def f{one}(m):\n" + "".join(f"    f{i}(m)\n" for i in range(n))

    return {
        "main.py": _main("from m0 import f0\nf0(config)\n", "config.BLOCK"),
        **{f"m{i}.py": of(i) for i in range(n)},
    }


@many(4)
def setting_files(n: int) -> Files:
    parts = {f"m{i}.py": f"import config\ndef f(name):\n    setattr(config, name, {i})\n" for i in range(n)}
    return {"main.py": _main("", "config.OTHER[0]"), **parts}


@many(4)
def setting_of_one_another(n: int) -> Files:
    def of(i: int) -> str:
        imports = f"import m{(i + 1) % n} as other\nfrom m{(i + 2) % n} import tool\n"
        return f"{imports}def f(m, name):\n    setattr(m, name, other.f(m, tool))\n    other.f(m.x, name)\n"

    return {"main.py": _main("", "config.OTHER[0]"), **{f"m{i}.py": of(i) for i in range(n)}}


@many(4)
def launching_files(n: int) -> Files:
    parts = {f"m{i}.py": f"from main import kernel\ndef go(x):\n    kernel[(1,)](x, x, {i}, N=16)\n" for i in range(n)}
    return {"main.py": _main("", "config.BLOCK"), **parts}
