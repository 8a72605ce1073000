"""Whether a text may set something in what Triton compiles kernels with: in Python's own modules that its front end
goes through (``inspect.getsourcelines = mine``), in Triton's objects (``triton.cdiv.fn = mine``), in parts of a jit
function (``kernel.params[2]._param = other``).

Looks at text only, and not sparingly: where nothing of the kind stands the tree is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kernel_analysis.source.text_search.words import has_word, places

OF_PYTHON: Final = (
    "_collections_abc", "abc", "ast", "builtins", "codecs", "collections", "contextlib",
    "dataclasses", "dis", "enum", "functools", "hashlib", "inspect", "itertools", "keyword",
    "linecache", "math", "numbers", "opcode", "operator", "re", "reprlib", "string", "textwrap", "token", "tokenize",
    "types", "weakref",
)  # fmt: skip
"""What Triton's front end goes through of Python's, and what that does."""
NOT_GONE_THROUGH: Final = (
    "__future__", "typing", "warnings", "json", "pathlib", "os", "sys", "time", "threading", "concurrent", "logging",
    "tempfile", "subprocess", "shutil", "traceback", "importlib", "io", "copy",
)  # fmt: skip
"""What it imports besides, which decides nothing of what a kernel becomes: annotations, messages, files, launches;
and whatever copies gives copies."""
IN_COMPILER: Final = "triton()"
"""Among the attributes that a file could set: something in what compiles kernels."""
IN_JIT: Final = "jit()"
"""Among them: something in a part of what may be a jit function."""
PARTS_OF_JIT: Final = (
    "params", "signature", "arg_names", "arg_defaults", "constexprs", "_src", "fn", "__globals__",
    "used_global_vals", "_fn_name", "do_not_specialize", "do_not_specialize_on_alignment", "get_capture_scope",
    "__closure__", "__annotations__", "noinline",
)  # fmt: skip
"""What a jit function has that is compiled, or says what is, by the names under which objects have it."""
_OF_PARTS = (
    "_param", "is_constexpr", "is_const", "annotation", "annotation_type", "has_default", "_default", "_annotation",
    "_kind", "_parameters", "cell_contents",
)  # fmt: skip
"""And what these parts have."""
_MODULES = (*OF_PYTHON, "triton")
_HEAD = "|".join(map(re.escape, _MODULES))
_IMPORT = re.compile(rf"import[ \t]+((?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*(?:{_HEAD})\b[^\n;#]*)")
_FROM = re.compile(rf"from[ \t]+(?:{_HEAD})(?:\.\w+)*[ \t]+import[ \t]*(\((?:[^()#]|#[^\n]*\n)*\)|[^\n;#(]*)")
_NAMED = re.compile(r"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?")
_COMMENT = re.compile(r"#[^\n]*")
_LONGEST = 200
_STEP = r"(?:\s*\.\s*\w+|\[[^\]\n]*\]|\([^()\n]*\))"
_STORED = r"[\s\])]{0,40}(?:=(?!=)|(?:[-+*/%@&|^]|//|\*\*|<<|>>)=|[,:](?=[^\n]{0,120}[^=!<>]=(?!=)))"
_CHANGES = (
    "append|extend|insert|remove|pop|clear|sort|reverse|update|setdefault|popitem|add|discard|"
    "__setitem__|__delitem__|__setattr__|__delattr__|__ior__|__iadd__|__init__|_unsafe_update_src"
)
_GOES_ON = re.compile(rf"{_STEP}{{0,8}}(?:\s*\.\s*\w+|\[[^\]\n]*\]){_STORED}|{_STEP}{{0,8}}\.(?:__dict__|{_CHANGES})\b")
_SETS = re.compile(
    r"(?:attr|attr__|object|patch\w*|multiple|vars|update_wrapper|wraps?\w*\([^()]*\)|wrap\w*|put|set\w*)"
    r"\s*\([^()]{0,80}\Z"
)
_TARGET = re.compile(r"\b(?:del|for|as)\b(?:(?!\bin\b)[^#])*\Z")
_ANNOTATES = re.compile(r"(?:^|[(,])[ \t]*\*{0,2}(?!(?:else|try|finally)\b)\w+[ \t]*:[ \t]*\Z")
_HANDED = re.compile(r"(?:=|\bin|\breturn|[(,\[:])[ \t]*\(?\Z")
_ENDS = re.compile(r"[ \t]*(?:[,)\]}\n;]|if\b|\Z)")
TEXTS: Final = tuple(re.compile(rf"{quote}(?:{_HEAD})\b[\w.]*{quote}") for quote in "\"'")
"""Paths of what is in those modules, as texts."""
_LOOKED_UP = re.compile(r"(?:import_module|__import__|modules|resolve_name|locate)\s*[(\[]\s*\Z")
_NAMED_BY_TEXT = re.compile(r"(?:patch\w*|attr\w*|wrap\w*)\s*\([^()\n]*\Z")
_BY_PART = {
    part: re.compile(
        rf"\.{re.escape(part)}\b(?:{_STEP}{{0,8}}(?:\.\w+|\[[^\]\n]*\]){_STORED}|(?:\(\))?{_STEP}{{0,8}}\.(?:{_CHANGES})\()"
    )
    for part in PARTS_OF_JIT
}
_RARE = re.compile(
    r"(?<!self)\.(?:constexprs|noinline|do_not_specialize|do_not_specialize_on_alignment|_fn_name|used_global_vals|"
    rf"arg_defaults){_STORED}"
)
_TAKEN = re.compile(r"(?:\.\w+)+[ \t]*(?:[,)\]}\n;#]|\Z)")
_OF_LANGUAGE = re.compile(r"\b(?:tl|gl|ttgl|language)\.\w+\((?:[^()]|\([^()]*\))*\Z")
_PART_OF_TRITON = re.compile(r"\.(?:language|runtime|compiler|experimental|_utils|_C)\b(?:\.[a-z_]\w*)*[ \t]*[,)\]}]")
_SETS_DEEP = re.compile(r"\bsetattr\(|__setattr__|__dict__|\.(?:fn|_src|__code__|__wrapped__|__defaults__)\s*=(?!=)")
_FOLLOWS = re.compile(rf"[\"']?{_STORED}")
_NAMES_IT = re.compile(r"(?:(\w+)[ \t]*=|\bfor[ \t]+(\w+)[ \t]+in)[^=]*\Z")
_HANDED_PART = {part: re.compile(rf"\.{re.escape(part)}\b[\w.\[\]]{{0,80}}[ \t]*[,)]") for part in PARTS_OF_JIT}
_CHANGED = re.compile(rf"{_STEP}{{0,8}}(?:\.\w+|\[[^\]\n]*\]){_STORED}|{_STEP}{{0,8}}\.(?:{_CHANGES})\(")
_CHANGING = re.compile(rf"\.(?:{_CHANGES})\(|\]{_STORED}")
_SETS_ANY = ("setattr(", "__setattr__", "__dict__", "vars(")


_PAST = re.compile(r"\b(?:memmove|memset|from_address|curse)\s*\(([^\n]{0,300})")
_ADDRESS = re.compile(r"\b(?:(\w+)[ \t]*=[^\n]{0,200})?\bid\s*\(")


def goes_past(text: str) -> int:
    """The line on which a text writes into Python's own objects by their addresses, or into classes that nothing else
    may write to; 0: none does."""
    cursed = "forbiddenfruit" in text
    if not cursed and "ctypes" not in text:
        return 0
    addresses = {match[1] for match in _ADDRESS.finditer(text) if match[1]}
    for found in _PAST.finditer(text):
        if cursed or "id(" in found[1] or any(has_word(found[1], name) for name in addresses):
            return text.count("\n", 0, found.start()) + 1
    return 0


def marks(text: str) -> set[str]:
    """Of those, which a text may do."""
    found: set[str] = set()
    if sets_in_compiler(text):
        found.add(IN_COMPILER)
    parts = [part for part in PARTS_OF_JIT if f".{part}" in text or f'"{part}"' in text or f"'{part}'" in text]
    if parts and (_RARE.search(text) or any(_sets_part(text, part) for part in parts) or _sets_of_part(text)):
        found.add(IN_JIT)
    return found


def _sets_part(text: str, part: str) -> bool:
    """Whether something in such a part is set, under its name or another."""
    if _BY_PART[part].search(text):
        return True
    for start in places(text, part):
        before = _before(text, start)
        named = _NAMES_IT.search(before) if before.endswith((".", '"', "'")) else None
        name = (named[1] or named[2]) if named is not None else None
        if name and any(_CHANGED.match(text, place + len(name)) for place in places(text, name)):
            return True
    return _HANDED_PART[part].search(text) is not None and _CHANGING.search(text) is not None


def _sets_of_part(text: str) -> bool:
    """Whether something is set that such a part has."""
    if not any(word in text and has_word(text, word) for word in _OF_PARTS):
        return False
    return any(_stored(text, word) for word in _OF_PARTS) or any(sets in text for sets in _SETS_ANY)


def _stored(text: str, word: str) -> bool:
    return any(_FOLLOWS.match(text, place + len(word)) for place in places(text, word))


def names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a text calls those modules by its imports, and what is in them."""
    modules: set[str] = set()
    inside: set[str] = set()
    for match in _IMPORT.finditer(text):
        for named in _NAMED.finditer(match[1]):
            modules.add(named[2] or named[1].partition(".")[0])
    for match in _FROM.finditer(text):
        inside.update(named[2] or named[1] for named in _NAMED.finditer(_COMMENT.sub("", match[1])))
    return frozenset(modules), frozenset(inside - {"as", "import"})


def sets_in_compiler(text: str) -> bool:
    """Whether a text may set something in one of those modules, or of what is in one."""
    if "__builtins__" in text or goes_past(text):
        return True
    if any(_by_text(text, match.start()) for texts in TEXTS for match in texts.finditer(text)):
        return True
    return next(_words(text), None) is not None


def words(text: str) -> list[str]:
    """The names of those modules, and of what is in them, of which a text may set something."""
    return [*_words(text), *(["__builtins__"] if "__builtins__" in text else [])]


def _words(text: str) -> Iterator[str]:
    modules, inside = names(text)
    deep = _SETS_DEEP.search(text) is not None
    for name in sorted(modules | inside):
        module = name in modules
        if any(_may_set(text, place, place + len(name), module, deep) for place in places(text, name)):
            yield name


def _before(text: str, start: int) -> str:
    """What stands before a place on its line, as far as it is looked at."""
    first = max(0, start - _LONGEST)
    return text[max(text.rfind("\n", first, start) + 1, first) : start]


def _by_text(text: str, start: int) -> bool:
    before = _before(text, start)
    if before.endswith(("(", "[")) and _LOOKED_UP.search(before):
        return True
    return "(" in before and _NAMED_BY_TEXT.search(before) is not None


def _may_set(text: str, start: int, end: int, module: bool, deep: bool) -> bool:
    after = text[end : end + 1]
    goes_on = _GOES_ON.match(text, end) if after in (".", "[") else None
    before = _before(text, start)
    if goes_on is not None and not _ANNOTATES.search(before):
        return True
    if after == "." and _TARGET.search(before) or "(" in before and _SETS.search(before):
        return True
    if "import" in before or not _HANDED.search(before):
        return False
    if after == ".":
        taken = _TAKEN.match(text, end) if not _OF_LANGUAGE.search(before) else None
        return taken is not None and (
            deep or before.endswith(("= ", "=")) or _PART_OF_TRITON.match(text, end) is not None
        )
    return module and _ENDS.match(text, end) is not None
