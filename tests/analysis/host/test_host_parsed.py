"""Options that a parser puts into a module or a class that it is given: every way to call one with every way to have
the holder and every way to name an option, each run by real Python. What is set must not be told as certain.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

MAIN = "W = 1\n\n\nclass C:\n    W = 1\n"
CALLS = {
    "keyword": "p.parse_args(GIVEN, namespace=h)",
    "place": "p.parse_args(GIVEN, h)",
    "known": "p.parse_known_args(GIVEN, h)",
    "intermixed": "p.parse_intermixed_args(GIVEN, h)",
    "starred": "p.parse_args(*[GIVEN, h])",
    "more": "p.parse_args(GIVEN, **{'namespace': h})",
    "in a function": "def start(parser, holder):\n    parser.parse_args(GIVEN, holder)\n\n\nstart(p, h)",
}
HOLDERS = {
    "imported": ("W", "import main as h"),
    "looked up": ("W", "import sys\n\nh = sys.modules['main']"),
    "by a computed name": ("W", "import importlib\n\nh = importlib.import_module('ma' + 'in')"),
    "class": ("C.W", "from main import C as h"),
}
OPTIONS = {
    "long": ("p.add_argument('--W', type=int)", ["--W", "2"]),
    "dest": ("p.add_argument('--width', dest='W', type=int)", ["--width", "2"]),
    "computed dest": ("p.add_argument('--width', dest='w'.upper(), type=int)", ["--width", "2"]),
    "positional": ("p.add_argument('W', type=int)", ["2"]),
    "short": ("p.add_argument('-W', action='store_const', const=2)", ["-W"]),
}


@pytest.mark.parametrize(("call", "holder", "option"), itertools.product(CALLS, HOLDERS, OPTIONS))
def test_what_a_parser_sets(call: str, holder: str, option: str, tmp_path: Path) -> None:
    asked, had = HOLDERS[holder]
    added, given = OPTIONS[option]
    made = f"import argparse\n\n{had}\n\np = argparse.ArgumentParser()\n{added}\n"
    said, seen = judged(tmp_path, {"main": MAIN, "other": made + CALLS[call].replace("GIVEN", repr(given))}, asked)
    assert ("value", 2) in seen
    assert said != "certain"


@pytest.mark.parametrize(
    "call", ["p.parse_args([])", "p.parse_args(args=[])", "p.parse_args([], argparse.Namespace())"]
)
def test_what_it_makes_itself_is_nobodys(call: str, tmp_path: Path) -> None:
    other = f"import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--W')\nargs = {call}\n"
    assert judged(tmp_path, {"main": MAIN, "other": other}, "W")[0] == "certain"
