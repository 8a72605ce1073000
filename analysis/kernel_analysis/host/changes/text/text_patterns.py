"""What can be told of a text without its tree, which takes a hundred times as long to make: that none of the places
that have a word sets, or hands on, what is called so.

Each rule holds wherever its pattern stands, in brackets, strings and comments as well; what none of them tells may be
anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from keyword import iskeyword

from kernel_analysis.host.changes.text.text_strings import code, quoted
from kernel_analysis.host.changes.uses import READS
from kernel_analysis.source.text_search.attribute_stores import goes_on, settable
from kernel_analysis.source.text_search.layout import closing
from kernel_analysis.source.text_search.looked_up import OF_DICTS, looks_up_modules
from kernel_analysis.source.text_search.mentions import ANY_MODULE
from kernel_analysis.source.text_search.words import places

_COMMENT = re.compile(r"[^\"'#]*#")
_CLASS = re.compile(r"^[ \t]*class[ \t]+\w+[ \t]*\((?:[\w\s.,\[\]=]|#[^\n]*\n)*\Z", re.MULTILINE)
_LONGEST_HEAD = 400
_DOTTED = re.compile(r"(?:^|\.)(?:\s|\\|#[^\n]*\n)*\Z")
_LONGEST_GAP = 200
_LONGEST_LINE = 2000
_TYPE = r"[ \t]*[\"']?[\w.\[\]|, ]*\Z"
_BLOCKS = "for|while|with|if|elif|else|try|except|finally|match|case|async|lambda"
_FIELD = re.compile(rf"[ \t]*(?!(?:{_BLOCKS})\b)(?:\*{{0,2}}\w[^()\[\]{{}}\"'#;\\]*,[ \t]*)?[\w.]+[ \t]*:" + _TYPE)
"""An annotation, or an item: on a line that begins no block, nothing else follows a name and a colon."""
_PARAMETER = re.compile(r"[ \t]*(?:async[ \t]+)?def\b[^\"'{}]*[(,][ \t]*\*{0,2}\w+[ \t]*:" + _TYPE)
_RETURNED = re.compile(r".*->" + _TYPE)
_TESTED = re.compile(r".*\bis(?:instance|subclass)\((?:(?!\bfor\b)[^()])*\Z")
_RENAMED = re.compile(r"[ \t]+as[ \t]+(\w+)")
_IMPORTED = re.compile(r"[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[\w.,* \t]*\Z")
_TAKEN_FROM = re.compile(r".*\bfrom[ \t]+[\w.]*\Z")
_IMPORT_FOLLOWS = re.compile(r"[\w.]*[ \t]+import\b")
_IMPORTS = re.compile(r"import(?<!\wimport)[ \t]*\((?:[\w\s,]|#[^\n]*\n)*\)")
_LOADED = re.compile(r"[ \t]*[(\[.]|(?:\s|\)|\]|#[^\n]*\n)*(?!=(?!=)|[-+*/%@&|^<>]{1,2}=|:|,|in\b|\\|[\"'\s)\]#])")
"""What an attribute is followed by where it is only looked up: no ``=``, and nothing that could lead to one."""
_IN = re.compile(r"[ \t]+in\b")
_FOR = re.compile(r"for\b(?:(?<!\wfor)|(?<=\\[nrt]for))")
_TARGETS = re.compile(r"[\w\s.,*()]*?\bin\b")
_DELETED = re.compile(r".*(?:\b|\\[nrt])del\b")
_DELETES = re.compile(r"del\b(?:(?<!\wdel)|(?<=\\[nrt]del))[^\n]*")
_AROUND = r"(?:[\s)]|#[^\n]*\n|\\\r?\n)*"
"""What may stand between a function and its arguments."""
_SETS = re.compile(rf"\b(?:(?:__)?(?:set|del)attr(?:__)?|object|patch){_AROUND}\(")
_LONGEST_CALL = 1000
_ON_THE_WAY = re.compile(r"(?<!\")\"[\w.]*\"(?!\")|(?<!')'[\w.]*'(?!')|[()\[\]{}\"'#]|\brof\b")
"""What tells brackets apart, backwards: simple strings, brackets, what may hide others, and a ``for``."""
_ONLY_READS = frozenset({"if", "elif", "while", "and", "or", "not", "is", "in", "else", "return", "assert", "await"})
"""Keywords behind which nothing is set in brackets."""
_CONDITION = re.compile(r"[ \t]*(?:if\b|elif\b|while\b|for\b.*\bin\b)(?:[^:;\"'#]|\"[^\"\n]*\"|'[^'\n]*')*\Z")
_HEAD_ENDS = re.compile(r"[ \t]*:")
_CALLS = re.compile(r"(\w+|[)\]])[ \t]*\Z")
_QUOTED = re.compile(r"[\"'](\w+)")
_KEYWORD = re.compile(r"\b\w+(?=(?:[\s\\]|#[^\n]*\n)*=(?!=))")
_CALLED = re.compile(r"[ \t]*\(")
BY_NAME = ("sys.modules", "import_module", "__import__", "resolve_name")
"""What gives a module whose name is a text."""
_BY_NAME = tuple(
    re.compile(rf"{said}(?!\s*[\"'])")
    for said in (
        r"import_module\(",
        r"__import__\(",
        r"resolve_name\(",
        r"modules\[(?<=\.modules\[)(?<!self\.modules\[)",
    )
)
_ARGUMENT = re.compile(r"[(,]\s*(?:importlib\.|pkgutil\.)?\Z")
_ASKED = ("modules", "import_module", "__import__", "resolve_name")
_OWNER = re.compile(r"([\w\]]+)[ \t]*\.[ \t]*\Z")
_TAKEN = re.compile(r"[ \t]*(?:\.[ \t]*\w+[ \t]*)?[\[(]\s*")
_TAKEN_FAR = re.compile(rf"{_AROUND}(?:\.{_AROUND}\w+{_AROUND})?[\[(]")
_NO_DICT = re.compile(rf"\s*(?:\(|\.\s*(?!{OF_DICTS})\w)")
_LITERAL = re.compile(r"([\"'])([\w.:/ -]*)\1\s*([\]),+%])")
_NAME = re.compile(r"[^\W\d]\w*(?![\w\"'])")
_FORMATTED = re.compile(r"(?:[fF][rR]?|[rR][fF])[\"']")
_BINDINGS = re.compile(r"import\b[ \t]*(\((?:[^()#]|#[^\n]*\n)*\)|(?:[^\n\\]|\\\r?\n)*)")
_FROM = re.compile(r"[ \t]*from[ \t]+([\w.]+)[ \t]*\Z")
_ATTRIBUTE = re.compile(r"[ \t]*\.[ \t]*(\w+)")
_LAST_WORD = re.compile(r"\.(?:[\s\\]|#[^\n]*\n)*(\w+)(?=(?:[\s\\)\]]|#[^\n]*\n)*[\"'#\\])")
"""An attribute at the end of a string: another may go on with what follows it."""
_NAMED_BY_TEXT = re.compile(r"(\w+)[\"']")


_SPECIAL = re.compile(r"__(?!(?:name|file|doc|path|version|package|all)__)")
"""How attributes begin by which a module's names are had: ``__dict__``, ``__getattribute__``."""
_GOES_ON = re.compile(rf"[ \t]*(?:\.(?!\s*{_SPECIAL.pattern})|\(|import\b|as\b)")
_NAMES_IMPORTED = re.compile(r"__dict__(?<![.\w\"']__dict__)\b(?!\s*[=.\[])")
_OWN_BOUND = re.compile(r"self(?<!\wself)(?=(?:[\s\\)\]]|#[^\n]*\n)*(?:=(?!=)|[,:]|in\b))")
_RENAMED_OWN = re.compile(r" as\s+self\b")
_FIRST_OF = re.compile(r"\b(?!(?:for|as|del)\b)\w+\(\s*\Z")


def may_call_own(text: str) -> bool:
    """Whether a text may call something ``self`` that is no parameter."""
    if _RENAMED_OWN.search(text):
        return True
    found = (match.start() for match in _OWN_BOUND.finditer(text))
    return any(not _FIRST_OF.search(text, max(0, place - _LONGEST_GAP), place) for place in found)


def keys(text: str, name: str) -> bool:
    """Whether a text has a name as a string or as a keyword. (What stands behind a colon is none: ``n: int = 1``.)"""
    return name in _keys(text)


@lru_cache(maxsize=256)
def _keys(text: str) -> frozenset[str]:
    """All of them: thousands of names are asked for in the same few texts."""
    found = {match[1] for match in _QUOTED.finditer(text)}
    for match in _KEYWORD.finditer(text):
        before = text[max(0, match.start() - _LONGEST_GAP) : match.start()].rstrip(" \t")
        if not before.endswith(":"):
            found.add(match[0])
    return frozenset(found)


@lru_cache(maxsize=256)
def may_set(text: str, word: str) -> bool:
    """Whether the text may set or delete an attribute of that name, by its name or by text that names it. (What one
    file does with a name is asked for each name that it could do it to.)"""
    if not _may_set(text, word):
        return False
    said = code(text, names=True)
    return _may_set(said, word, bare=said is not text or "#" not in text)


def may_set_by_text(text: str, word: str) -> bool:
    """Whether it may set an attribute of that name by a text that names it."""
    ends = (place + len(word) for place in places(text, word))
    return any(text[end : end + 1] in ("'", '"') and _in_setter(text, end) for end in ends)


def _in_setter(text: str, place: int) -> bool:
    """Whether a place is in the brackets of a call that sets what a text names."""
    starts, ends = _setters(text)
    before = bisect_right(starts, place)
    return before > 0 and place < ends[before - 1]


@lru_cache(maxsize=64)
def _setters(text: str) -> tuple[list[int], list[int]]:
    """Where such calls begin, and where each, or one before it, ends."""
    starts = [match.end() for match in _SETS.finditer(text)]
    return starts, [*accumulate((closing(text, start) for start in starts), max)]


def set_in_strings(text: str) -> frozenset[str]:
    """The attributes that texts within the text may set, which may be run. All at once: to find out what stands in
    strings takes much longer than to ask for each of the few names there."""
    said = quoted(text)
    found = {match[1] for match in settable(said)}
    found.update(_LAST_WORD.findall(said))
    if _SETS.search(said):
        found.update(_NAMED_BY_TEXT.findall(said))
    return frozenset(word for word in found if _may_set(said, word))


def _may_set(text: str, word: str, bare: bool = False) -> bool:
    """``bare``: there are no comments in it."""
    deletes_more: bool | None = None
    for place in places(text, word):
        end = place + len(word)
        before = line_before(text, place)
        quoted_end = text[end : end + 1] in ("'", '"')
        if quoted_end and _in_setter(text, place):
            return True  # text that names it
        if not _DOTTED.search(text[max(0, place - _LONGEST_GAP) : place]):
            continue  # a name
        if not quoted_end and (_COMMENT.match(before) or _annotates(text, place, before)):
            continue
        looked_up = (
            quoted_end
            or _LOADED.match(text, end)
            or bare
            and _is_argument(text, place)
            or _HEAD_ENDS.match(text, end)
            and _CONDITION.match(before)
            or _IN.match(text, end)
            and not _in_targets(text, place)
        )
        if not looked_up or _DELETED.match(before):
            return True
        if deletes_more is None:
            deletes_more = any(map(goes_on, _DELETES.findall(text)))
        if deletes_more:
            return True
    return False


def _is_argument(text: str, place: int) -> bool:
    """Whether it stands between the brackets of a call, an item, a set or a dict, where only a ``for`` sets anything;
    not where a string is on the way there that may have brackets of its own."""
    closed, last = 0, place
    for match in _ON_THE_WAY.finditer(text[max(0, place - _LONGEST_CALL) : place][::-1]):
        said, last = match[0], place - match.end()
        if said[0] in "\"'" and len(said) > 1:
            continue
        if said in ")]}":
            closed += 1
        elif said not in "([{":
            return False
        elif closed:
            closed -= 1
        elif said == "{":
            return True
        elif (before := _CALLS.search(text, max(0, last - _LONGEST_GAP), last)) is not None:
            if not iskeyword(before[1]) or before[1] in _ONLY_READS:
                return True
    return False


def _in_targets(text: str, place: int) -> bool:
    """Whether it may be among what a ``for`` that stands before it binds."""
    spans = _targets(text)
    return spans is None or any(start < place < end for start, end in spans)


@lru_cache(maxsize=16)
def _targets(text: str) -> list[tuple[int, int]] | None:
    """What stands between ``for`` and ``in``; None: somewhere that is more than names, dots and brackets."""
    found: list[tuple[int, int]] = []
    for match in _FOR.finditer(text):
        targets = _TARGETS.match(text, match.end())
        if targets is None or targets[0].count("(") != targets[0].count(")"):
            return None
        found.append(targets.span())
    return found


def may_rename(text: str, name: str) -> bool:
    """Whether the text may import what goes by a name under another."""
    if f"{name} as" not in text:
        return False
    renamed = re.compile(rf"{re.escape(name)}(?<!\w{re.escape(name)}) as\b")
    return renamed.search(text) is not None and renamed.search(code(text)) is not None


def may_hold(text: str, name: str) -> bool:
    """Whether the text may give what goes by a plain name to code that changes it."""
    for place in places(text, name):
        end, before = place + len(name), line_before(text, place)
        if before.rstrip(" \t").endswith(".") or only_calls_or_takes(text, end):
            continue
        if not _COMMENT.match(before) and not only_says(text, place, end):
            return True
    return False


def only_calls_or_takes(text: str, end: int, *attributes: str) -> bool:
    """Whether what ends there is called, or has an attribute taken that gives nothing of its own, nor is one of
    these."""
    if _CALLED.match(text, end):
        return True
    taken = _ATTRIBUTE.match(text, end)
    return taken is not None and taken[1] not in (*READS, *attributes) and not _SPECIAL.match(taken[1])


def only_says(text: str, place: int, end: int) -> bool:
    """Whether what stands there is imported, or says what a parameter or a class is."""
    before = line_before(text, place)
    if any(rule.match(before) for rule in (_IMPORTED, _PARAMETER)) or _in_head(text, place):
        return True
    if _IMPORT_FOLLOWS.match(text, end) and _TAKEN_FROM.match(before):
        return True
    return any(first < place < last for first, last in _import_lists(text))


@lru_cache(maxsize=512)
def _import_lists(text: str) -> tuple[tuple[int, int], ...]:
    return tuple([match.span() for match in _IMPORTS.finditer(text)])


def asked_for(text: str) -> frozenset[str]:
    """The last words of the texts under which a text may look modules up, ``__name__`` among them if it is its own;
    ``ANY_MODULE``: any."""
    if not looks_up_modules(text):
        return frozenset()
    asked = _asked_for(text)
    return asked and _both(asked, _asked_for(code(text, names=True)))


def _both(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    if ANY_MODULE in some:
        return others
    return some if ANY_MODULE in others else some & others


def _asked_for(text: str) -> frozenset[str]:
    found = (_asked_at(text, place, place + len(word)) for word in _ASKED for place in places(text, word))
    return frozenset(name for name in found if name is not None)


def _asked_at(text: str, start: int, end: int) -> str | None:
    """What a module may be looked up by, in or by what stands there."""
    owner = _OWNER.search(text, max(0, start - _LONGEST_GAP), start)
    if text.startswith("modules", start) and (_NO_DICT.match(text, end) or owner is not None and owner[1] == "self"):
        return None
    taken = _TAKEN.match(text, end)
    if taken is None:
        return ANY_MODULE if _TAKEN_FAR.match(text, end) is not None else None
    if (literal := _LITERAL.match(text, taken.end())) is not None:
        return literal[2].rpartition(".")[2] if literal[3] not in "+%" else None
    if (word := _NAME.match(text, taken.end())) is not None:
        return word[0] if word[0] == "__name__" else None
    plain = text[taken.end() : taken.end() + 1] in (")", "]") or _FORMATTED.match(text, taken.end())
    return None if plain else ANY_MODULE


def hands_on_any(text: str) -> bool:
    """Whether a text gives a function a module whose name is not in sight."""
    return _gives_any(text) and _gives_any(code(text))


def _gives_any(text: str) -> bool:
    found = (match.start() for said in _BY_NAME for match in said.finditer(text))
    return any(_ARGUMENT.search(text, max(0, place - _LONGEST_GAP), place) for place in found)


def may_hand_on(text: str, module: str) -> bool:
    """Whether a text may use the module, which it imports, as a value."""
    return _may_hand_on(text, module) and _may_hand_on(code(text), module)


def _may_hand_on(text: str, module: str) -> bool:
    package, _, own = module.rpartition(".")
    if "__dict__" in text and _NAMES_IMPORTED.search(text):
        return True  # `from . import __dict__`
    if own not in text:
        return False
    spelled = [(place, place + len(own)) for place in places(text, own)]
    words = {own, *(match[1] for _, end in spelled if (match := _RENAMED.match(text, end)))}
    if _binds(text, own, package.rpartition(".")[2]) and any(
        _stands_alone(text, word) and may_hold(text, word) for word in words
    ):
        return True
    dotted = (at - 1 for at, end in spelled if text[at - 1 : at] == "." and not _GOES_ON.match(text, end))
    return any(not _IMPORTED.match(line_before(text, dot)) for dot in dotted)


def _stands_alone(text: str, word: str) -> bool:
    """Whether it is more than part of a path or a text by itself."""
    for place in places(text, word):
        end = place + len(word)
        if text[place - 1 : place] not in tuple("\"'/-`") and text[end : end + 1] not in tuple("\"'/-`"):
            return True
    return False


def _binds(text: str, own: str, package: str) -> bool:
    """Whether an import may bind a name to the module: ``from add import add`` has something of it."""
    for names, before in _imports(text):
        if names.strip() == "*":
            return True
        if own not in names or next(places(names, own), None) is None:
            continue
        source = _FROM.match(before)
        if source is None or source[1].rpartition(".")[2] != own or package == own:
            return True
    return False


@lru_cache(maxsize=512)
def _imports(text: str) -> tuple[tuple[str, str], ...]:
    """What each import of a text names, and what stands before that on its line. (It is asked for each module.)"""
    return tuple([(match[1], line_before(text, match.start())) for match in _BINDINGS.finditer(text)])


def line_before(text: str, place: int) -> str:
    """What stands before it on its line; of a line that nobody writes its end, behind a character that nothing begins
    with: a word may stand there as often as there is room, and each asks."""
    nearest = max(0, place - _LONGEST_LINE)
    start = text.rfind("\n", nearest, place) + 1
    return text[start:place] if start or not nearest else "\0" + text[nearest:place]


def _in_head(text: str, place: int) -> bool:
    """Whether it is among the bases of a class."""
    return _CLASS.search(text, max(0, place - _LONGEST_HEAD), place) is not None


def _annotates(text: str, place: int, before: str) -> bool:
    if "\r" in before:
        return False
    if _in_head(text, place) or _PARAMETER.match(before) or _RETURNED.match(before) or _TESTED.match(before):
        return True
    start = place - len(before)
    return _FIELD.match(before) is not None and not text[:start].endswith(("\\\n", "\\\r\n"))
