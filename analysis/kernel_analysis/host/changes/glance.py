"""What can be told of a text without its tree, which takes a hundred times as long to make: that none of the places
that have a word sets, or hands on, what is called so.

Each rule holds wherever its pattern stands, in brackets, strings and comments as well; what none of them tells may be
anything.
"""

from __future__ import annotations

import re

from kernel_analysis.host.changes.uses import READS, places

_COMMENT = re.compile(r"[^\"'#]*#")
_CLASS = re.compile(r"^[ \t]*class[ \t]+\w+[ \t]*\((?:[\w\s.,\[\]=]|#[^\n]*\n)*\Z", re.MULTILINE)
_LONGEST_HEAD = 400
_DOTTED = re.compile(r"(?:^|\.)(?:\s|\\|#[^\n]*\n)*\Z")
_LONGEST_GAP = 200
_TYPE = r"[ \t]*[\"']?[\w.\[\]|, ]*\Z"
_BLOCKS = "for|while|with|if|elif|else|try|except|finally|match|case|async|lambda"
_FIELD = re.compile(rf"[ \t]*(?!(?:{_BLOCKS})\b)(?:\*{{0,2}}\w[^()\[\]{{}}\"'#;\\]*,[ \t]*)?[\w.]+[ \t]*:" + _TYPE)
"""An annotation, or an item: on a line that begins no block, nothing else follows a name and a colon."""
_PARAMETER = re.compile(r"[ \t]*(?:async[ \t]+)?def\b[^\"'{}]*[(,][ \t]*\*{0,2}\w+[ \t]*:" + _TYPE)
_RETURNED = re.compile(r".*->" + _TYPE)
_TESTED = re.compile(r".*\bis(?:instance|subclass)\((?:(?!\bfor\b)[^()])*\Z")
_IMPORTED = re.compile(r"[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[\w.,* \t]*\Z")
_IMPORTS = re.compile(r"\bimport[ \t]*\((?:[\w\s,]|#[^\n]*\n)*\)")
_LOADED = re.compile(r"[ \t]*[(\[.]|(?:\s|\)|\]|#[^\n]*\n)*(?!=(?!=)|[-+*/%@&|^<>]{1,2}=|:|,|in\b|\\|[\"'\s)\]#])")
"""What an attribute is followed by where it is only looked up: no ``=``, and nothing that could lead to one."""
_DELETED = re.compile(r".*\bdel\b")
_DELETES = re.compile(r"\bdel\b[^\n]*")
_CALLED = re.compile(r"[ \t]*\(")
BY_NAME = ("sys.modules", "import_module", "__import__")
"""What gives a module whose name is a text."""
_GIVEN = re.compile(r"[(,]\s*(?:(?:importlib\.)?(?:import_module|__import__)\(|sys\.modules\[)(?!\s*[\"'])")
_BINDINGS = re.compile(r"import\b[ \t]*(\((?:[^()#]|#[^\n]*\n)*\)|(?:[^\n\\]|\\\r?\n)*)")
_FROM = re.compile(r"[ \t]*from[ \t]+([\w.]+)[ \t]*\Z")
_ATTRIBUTE = re.compile(r"[ \t]*\.[ \t]*(\w+)")


def may_set(text: str, word: str) -> bool:
    """Whether the text may set or delete an attribute of that name, by its name or by text that names it."""
    deletes_more: bool | None = None
    for place in places(text, word):
        end = place + len(word)
        before = _before(text, place)
        named = text[end : end + 1] in ("'", '"')
        if not named and not _DOTTED.search(text[max(0, place - _LONGEST_GAP) : place]):
            continue  # a name
        if _COMMENT.match(before) or _annotates(text, place, before):
            continue
        if named or not _LOADED.match(text, end) or _DELETED.match(before):
            return True
        if deletes_more is None:
            deletes_more = any(map(_goes_on, _DELETES.findall(text)))
        if deletes_more:
            return True
    return False


def may_hold(text: str, name: str) -> bool:
    """Whether the text may give what goes by a plain name to code that changes it."""
    imports: list[tuple[int, int]] | None = None
    for place in places(text, name):
        end = place + len(name)
        before = _before(text, place)
        if before.rstrip(" \t").endswith(".") or _CALLED.match(text, end):
            continue
        attribute = _ATTRIBUTE.match(text, end)
        if attribute is not None and attribute[1] not in READS:
            continue
        if any(rule.match(before) for rule in (_COMMENT, _IMPORTED, _PARAMETER)) or _in_head(text, place):
            continue
        if imports is None:
            imports = [match.span() for match in _IMPORTS.finditer(text)]
        if not any(first < place < last for first, last in imports):
            return True
    return False


def may_name(text: str, name: str) -> bool:
    """Whether a text may have the module of that name by a text, or itself by ``__name__``."""
    if not any(word in text for word in BY_NAME):
        return False
    return name in text if name == "__name__" else re.search(rf"\b{re.escape(name)}[\"']", text) is not None


def hands_on_any(text: str) -> bool:
    """Whether a text gives a function a module whose name is not in sight."""
    return _GIVEN.search(text) is not None


def may_hand_on(text: str, module: str) -> bool:
    """Whether a text may use the module, which it imports, as a value."""
    package, _, own = module.rpartition(".")
    if own not in text:
        return False
    words = {own}
    if " as " in text:
        words.update(match[1] for match in re.finditer(rf"{re.escape(own)}[ \t]+as[ \t]+(\w+)", text))
    if _binds(text, own, package.rpartition(".")[2]) and any(
        _stands_alone(text, word) and may_hold(text, word) for word in words
    ):
        return True
    dotted = re.finditer(rf"\.{re.escape(own)}\b(?![ \t]*(?:[.(]|import\b|as\b))", text)
    return any(not _IMPORTED.match(_before(text, match.start())) for match in dotted)


def _stands_alone(text: str, word: str) -> bool:
    """Whether it is more than part of a path or a text by itself."""
    for place in places(text, word):
        end = place + len(word)
        if text[place - 1 : place] not in tuple("\"'/-`") and text[end : end + 1] not in tuple("\"'/-`"):
            return True
    return False


def _binds(text: str, own: str, package: str) -> bool:
    """Whether an import may bind a name to the module: ``from add import add`` has something of it."""
    for match in _BINDINGS.finditer(text):
        if own not in match[1] or not re.search(rf"\b{re.escape(own)}\b", match[1]):
            continue
        source = _FROM.match(_before(text, match.start()))
        if source is None or source[1].rpartition(".")[2] != own or package == own:
            return True
    return False


def _goes_on(line: str) -> bool:
    """Whether what begins on a line may end on another."""
    opened = sum(map(line.count, "([")) > sum(map(line.count, ")]"))
    return opened or "'" in line or '"' in line or line.rstrip().endswith("\\")


def _before(text: str, place: int) -> str:
    """What stands before it on its line."""
    return text[text.rfind("\n", 0, place) + 1 : place]


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
