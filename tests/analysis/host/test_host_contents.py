"""A dict that somebody changes by another way than its name: every way to come by it with every place that it may be
in, each run by real Python. What it finds changed must not be told as certain; where it is only read, it must be.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

BY_A_FUNCTION = (
    "max([D], key=len)", "min(D, {1: 1, 2: 2}, key=len)", "sum([], D)", "next(iter([D]))", "dict(k=D)['k']",
    "sorted([D], key=len)[0]", "list(zip([D]))[0][0]", "next(iter([]), D)", "{}.get('x', D)", "{}.setdefault('x', D)",
    "{}.pop('x', D)", "getattr(1, 'zz', D)", "[].__add__([D])[0]", "iter([D].pop, None).__next__()",
    "list(enumerate([D]))[0][1]", "type('T', (), {'d': D}).d", "type('T', (), dict(d=D)).d", "[d for d in (D,)][0]",
    "{1: d for d in (D,)}[1]", "(lambda d=D: d)()", "(lambda: D)()", "(D or {})", "(D if D else None)", "(D and D)",
    "[D, *[]].pop()", "([D] * 2)[1]", "((D,) + ())[0]", "Exception(D).args[0]", "D.get.__self__",
    "[D.items][0].__self__", "getattr(D.keys, '__self__')", "eval('D')", "globals()['D']",
    "(setattr(Unary, 'e', D) or Unary).e", "(Unary(1).__setattr__('d', D), D)[1]",
    "(lambda g: g()['D'])(globals)", "__import__('builtins').globals()['D']",
    "[v for k, v in globals().items() if k == 'D'][0]", "collections.ChainMap({}, D).maps[1]",
    "collections.deque([D])[0]", "collections.UserDict(k=D)['k']", "collections.OrderedDict(k=D)['k']",
    "copy.copy((D,))[0]", "copy.copy([D])[0]", "functools.reduce(lambda a, b: a, [1], D)",
    "functools.partial(dict, d=D).keywords['d']", "itertools.repeat(D).__next__()",
    "list(itertools.accumulate([1], lambda a, b: a, initial=D))[0]", "next(itertools.tee([D])[0])",
    "list(itertools.zip_longest([1], [], fillvalue=D))[0][1]", "operator.itemgetter('D')(globals())",
    "types.SimpleNamespace(d=D).d", "Holder(D).d", "Holder(d=D).d", "Held(D).d", "Named(D).d", "given(D)",
    "given(d=D)", "default()", "later.__globals__['D']", "sys.modules[__name__].D", "sys._getframe().f_globals['D']",
    "(-Unary(D)).d", "(~Unary(D)).d",
)  # fmt: skip
BY_STATEMENTS = (
    "{} = D", "{}, f = D, 1", "*{}, f = D, 1\n    e = e[0]", "f = {} = D", "for {} in (D,): pass",
    "for i, {} in enumerate([D]): pass", "(e := D)", "match D:\n        case {}: pass",
    "match [D]:\n        case [{}]: pass", "match {{'z': D}}:\n        case {{'z': {}}}: pass",
    "with contextlib.nullcontext(D) as {}: pass", "try: assert 0, D\n    except AssertionError as f: {} = f.args[0]",
    "try: raise ValueError(D)\n    except ValueError as f: {} = f.args[0]", "class C:\n        d = D\n    {} = C.d",
    "def f(): yield D\n    {} = next(f())", "def f(*a): return a[0]\n    {} = f(D)",
    "def f(**k): return k['d']\n    {} = f(d=D)",
)  # fmt: skip
READS = (
    "len(D)", "D['N'] + 1", "D.get('N')", "str(D)", "sorted(D)", "list(D.values())", "dict(D)", "{**D}",
    "D | {'M': 1}", "'N' in D", "max(D.values())", "[k for k in D]", "D == {}", "not D", "copy.deepcopy(D)",
    "D.copy()", "json.dumps(D)", "f'{D}'", "zip(D, [1])", "print(D, sep='')", "sum(D.values(), 1)", "enumerate(D)",
    "isinstance(D, dict)",
)  # fmt: skip
SUPPORT = """import collections
import contextlib
import copy
import dataclasses
import functools
import itertools
import json
import operator
import sys
import types
import typing


class Holder:
    def __init__(self, d):
        self.d = d


@dataclasses.dataclass
class Held:
    d: dict


class Named(typing.NamedTuple):
    d: dict


class Unary:
    def __init__(self, d):
        self.d = d

    def __neg__(self):
        return self

    __invert__ = __neg__


def given(d):
    return d


"""
DEFAULT = "def default(d=D):\n    return d\n\n\n"
PLACES = {
    "own": lambda body: {"main": f"{SUPPORT}D = {{'N': 1}}\n{DEFAULT}def later():\n    {body}\n"},
    "imported": lambda body: {
        "main": "D = {'N': 1}\n",
        "plugin": f"{SUPPORT}from main import D\n{DEFAULT}def later():\n    {body}\n",
    },
    "by a star": lambda body: {
        "main": "D = {'N': 1}\n",
        "plugin": f"{SUPPORT}from main import *\n{DEFAULT}def later():\n    {body}\n",
    },
}
IN_A_CLASS = (
    "Q.D['N'] = 2", "Q().D['N'] = 2", "Q.__dict__['D']['N'] = 2", "vars(Q)['D']['N'] = 2", "getattr(Q, 'D')['N'] = 2",
    "R.D['N'] = 2", "Q().go()", "Q.all()",
)  # fmt: skip
OF_A_MODULE = (
    "dict(inspect.getmembers(main))['D']", "main.__getattribute__('D')", "object.__getattribute__(main, 'D')",
    "eval('main.D')", "inspect.getattr_static(main, 'D')", "inspect.unwrap(main).D", "typing.cast(object, main).D",
    "vars(main)['D']", "{**vars(main)}['D']", "main.__dict__.get('D')", "operator.attrgetter('D')(main)",
    "getattr(main, 'D')", "eval('main').D",
)  # fmt: skip


@pytest.mark.parametrize(("place", "got"), [*itertools.product(PLACES, BY_A_FUNCTION)])
def test_what_an_expression_gives(place: str, got: str, tmp_path: Path) -> None:
    _changed(PLACES[place](f"e = {got}\n    e['N'] = 2"), tmp_path)


@pytest.mark.parametrize(("place", "bound"), [*itertools.product(PLACES, BY_STATEMENTS)])
def test_what_a_statement_binds(place: str, bound: str, tmp_path: Path) -> None:
    _changed(PLACES[place](f"{bound.format('e')}\n    e['N'] = 2"), tmp_path)


@pytest.mark.parametrize("change", IN_A_CLASS)
def test_what_a_class_imports(change: str, tmp_path: Path) -> None:
    methods = "    def go(self): self.D['N'] = 2\n    @classmethod\n    def all(cls): cls.D['N'] = 2\n"
    plugin = f"class Q:\n    from main import D\n{methods}class R(Q): pass\n\ndef later():\n    {change}\n"
    _changed({"main": "D = {'N': 1}\n", "plugin": plugin}, tmp_path)


@pytest.mark.parametrize("names", ["locals()['D']", "vars()['D']", "eval('D')"])
def test_what_a_function_imports(names: str, tmp_path: Path) -> None:
    plugin = f"def later():\n    from main import D\n    {names}['N'] = 2\n"
    _changed({"main": "D = {'N': 1}\n", "plugin": plugin}, tmp_path)


SPREAD = {
    "f(*L)": "def f(a, b): b['N'] = 2",
    "f(0, *L)": "def f(n, a, b): b['N'] = 2",
    "f(*(), D)": "def f(a, b=None): a['N'] = 2",
    "f(*[], 0, D)": "def f(a, b, c=None): b['N'] = 2",
    "f(*[0, 0], D)": "def f(a, b, c): c['N'] = 2",
    "sum(*L).update(N=2)": "L[0] = []",
    "sum(*[[]], D).update(N=2)": "",
    "max(*L, key=len).update(N=2)": "L[0] = {}",
    "list(map(*M))": "M = (lambda d: d.update(N=2), [D])",
}


@pytest.mark.parametrize(("call", "before"), SPREAD.items())
def test_what_is_spread_may_be_any_argument(call: str, before: str, tmp_path: Path) -> None:
    main = f"D = {{'N': 1}}\nL = [{{}}, D]\n{before}\n\ndef later():\n    {call}\n"
    _changed({"main": main}, tmp_path)
    handed = main.replace("L = [{}, D]", "L = [{}, {'N': 1}]")
    if "*L" in call:
        said, seen = judged(tmp_path, {"main": handed}, "L[1]['N']")
        assert seen[-1] == ("value", 2), seen
        assert said != "certain"


@pytest.mark.parametrize("got", OF_A_MODULE)
def test_what_a_module_gives(got: str, tmp_path: Path) -> None:
    plugin = f"import inspect, operator, typing\nimport main\n\ndef later():\n    e = {got}\n    e['N'] = 2\n"
    _changed({"main": "D = {'N': 1}\n", "plugin": plugin}, tmp_path)


@pytest.mark.parametrize(("place", "read"), [*itertools.product(("own", "imported"), READS)])
def test_what_only_reads(place: str, read: str, tmp_path: Path) -> None:
    texts = PLACES[place](f"return {read}")
    texts = {name: text.replace(DEFAULT, "") for name, text in texts.items()}
    said, seen = judged(tmp_path, texts, "D['N']")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"


def _changed(texts: dict[str, str], folder: Path) -> None:
    said, seen = judged(folder, texts, "D['N']")
    assert seen[-1] == ("value", 2), seen
    assert said != "certain"
