"""What a file's text says about kernels of other files: which names it could launch, and under which other names it
passes them on.

Looks at text only, quickly and not sparingly: a name that is found here too many costs a look at the file's tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from unicodedata import is_normalized, normalize

from kernel_analysis.record import record
from kernel_analysis.source.text_search import aggregate_operators, code_texts, compiler_stores
from kernel_analysis.source.text_search.attribute_stores import named_by_text, settable
from kernel_analysis.source.text_search.layout import around
from kernel_analysis.source.text_search.looked_up import has_main, looks_up_modules, sys_otherwise

# Walking every expression of a file costs more than parsing it; a launch can only be where the text has one of these.
# Each pattern begins with a literal: others take ten times as long to search for.
HINTS = (
    re.compile(r"\]\s*\("),
    re.compile(r"\.\s*(?:run|warmup)\s*\("),
    re.compile(r"partial\(\s*[\w.]+\["),
)
# `launch = kernel[grid]` and `launch = partial(kernel[grid], ...)`: it is `launch` that is called then.
_GRID = re.compile(r"\[[ \t]*(?:\w*grid\w*\b|\(|lambda)")  # most texts have none, and it takes a tenth of the next one
BOUND = re.compile(
    r"\n[ \t]*(\w+)[ \t]*=[ \t]*(?:(?:functools\.)?partial\(\s*)?[\w.]+\[[ \t]*(?:\w*grid\w*\b|\(|lambda)"
)
_IMPORT = re.compile(r"from[ \t]+[.\w]+[ \t]+import[ \t]*(\((?:[^()#]|#[^\n]*\n)*\)|[^\n;#(]*(?:\\\r?\n[^\n;#]*)*)")
_COMMENT = re.compile(r"#[^\n]*")
_IMPORTED = re.compile(r"(\w+|\*)(?:\s+as\s+(\w+))?")
_RENAMED = re.compile(r" as[ \t]+(\w+)")
_LOADED = re.compile(r"import_module\(\s*[\"']([\w.]+)[\"']")
_LOADS = re.compile(r"(\w+)[ \t]*=[ \t]*(?:importlib\.)?\Z")
_MEMBER = re.compile(r"\.\s*(\w+)")
_ATTRIBUTE = re.compile(r"\.(\w+)\b(?!\s*\()")
_LAUNCHED = re.compile(r"\b(\w+)\s*(?:\[|\.\s*(?:run|warmup)\b)")
_NAMED = re.compile(
    r"\n(\w+)[ \t]*=[ \t]*(?:\w+\.)*(\w+)"
    r"(?:[ \t]+if\b[^\n]*\belse[ \t]+(?:\w+\.)*(\w+)|\([ \t]*(?:\w+\.)*(\w+)[ \t]*[,)][^\n]*)?[ \t]*(?=\r|\n|#|$)"
)
_MODULES = (re.compile(r"import[ \t]+([\w. \t,]+)"), re.compile(r"from[ \t]+([\w.]+)"))
_LOOK_UP = re.compile(
    r"(?:import_module|__import__|resolve_name)\b(?:\s*\(\s*(?:\"([\w.]+)\"|'([\w.]+)')\s*[,)])?|"
    r"sys\.modules\b(?:\s*\[\s*(?:(__name__)|[\"']([\w.]+)[\"'])\s*\])?"
)
_ONLY_IMPORTED = re.compile(r"[ \t]*from[ \t]+\w+[ \t]+import[ \t]+(?:\w+,[ \t]*)*\Z")
_IMPORT_ENDS = re.compile(r"[ \t]*(?:,[ \t]*\w|\r?\n|#|\Z)")
_COMPUTED = (
    re.compile(r"attr(?<=setattr|delattr)(?:__)?\b(?!\(\s*self\s*,)(?!\(\s*[\w.]+\s*,\s*[\"']\w+[\"']\s*[,)])"),
    re.compile(r"patch\.multiple\b"),
    re.compile(r"\.patch\((?!\s*[\"'][\w.]+[\"']\s*[,)])"),
    re.compile(r"update_wrapper\("),
    re.compile(r"wraps\([^()\n]*\)\("),
    re.compile(r"\.__dict__(?<!self\.__dict__)"),
    re.compile(r"__dict__(?:[\"']|(?<![.\w]__dict__)\b)"),
    re.compile(r"vars\((?!\s*(?:self\b|\)))"),
    *(re.compile(word) for word in ("__getattribute__", "getmembers", "getattr_static")),
    re.compile(r"attrgetter\((?!\s*[\"'][\w.]+[\"']\s*[,)])"),
    re.compile(r"parse_(?:known_)?(?:intermixed_)?args\((?!\s*\))"),
    re.compile(r"getattr\(\s*[\w.]+\s*,(?!\s*[\"']\w+[\"']\s*[,)])[^()\n]*(?:\([^()\n]*\))?\)\s*(?:\[|\.update\()"),
)
_GO_THROUGH = (
    "vars(", "globals", "locals", "__dict__", "getmembers", "modules.values", "modules.items", "get_objects",
)  # fmt: skip
"""What has modules in it, to go through them or to take one."""
_TAKES = re.compile(r"getattr\(\s*[\w.]+\s*,(?!\s*[\"']\w+[\"']\s*[,)])")
_UNSPELLED = (
    *_GO_THROUGH, "getattribute", "attrgetter", "methodcaller",
)  # fmt: skip
_COMPUTES = re.compile(r"getattr(?<=\bgetattr)\b(?!\(\s*[\w.]+\s*,\s*[\"']\w+[\"']\s*[,)])")
ANY_NAME = "?"
"""Among the attributes that a file could set: any, by a text that is not in sight."""
MODULE = "sys.modules:"
"""Before the name of a module that another is put in the place of."""
GIVEN = "()."
"""Before an attribute that is set of what a call, or an item, gives there."""
ANY_MODULE = "?"
"""Among the words of a file's imports: it may have any module, by a text."""
_WITHOUT_A_STORE = ("__kwdefaults__", "__globals__", "f_globals", "f_locals", "get_capture_scope", "_unsafe_update_src")
"""Attributes through which something is set that no store names: dicts, and a method."""
OWN = "self."
"""Before an attribute that is set of what goes by the name that methods have for their own object."""
TEXT = "'"
"""Before the last word, or the last two, of what may be the path of a module or of something in one."""
RUNS = "exec()"
"""Among the attributes that a file could set: it runs texts."""
SWAPS = ("swap_tensor", "data.__set__", "._parameters", "'_parameters", '"_parameters', "functional_call", "vector_to_")
"""Among the attributes that a file could set: a tensor is made another, or put where torch does that with it."""
DEFAULT_DTYPE = "set_default_"
"""Among the attributes that a file could set: the dtype of torch's tensors of which nobody says it."""
OF_ATEN = "aten::"
"""Among the attributes that a file could set: the body of one of torch's own operators."""
TAKES_OF_TORCH = "torch.?"
"""Among the attributes that a file could set: it takes something of torch by a name that is not in sight."""
_OF_ATEN = re.compile(r"aten(?<=[\"']aten)(?=[\"':])")
_TAKES_OF_TORCH = re.compile(r"getattr\(\s*[\w.]+\s*,(?!\s*[\"']\w+[\"']\s*[,)])")
REACHES = "?.?"
"""Among the attributes that a file could set: any of any module, by what it has a word for."""
REACHING = (
    "get_objects", "get_referrers", "get_referents", "pythonapi", "py_object", "meta_path", "path_hooks", "CodeType",
    "global_enum", "_convert_",
)  # fmt: skip
"""What gives all that there is, says what an import gives, or itself sets names of the module that has a class."""
HARMLESS_OF_GC = (
    "collect", "disable", "enable", "freeze", "get_count", "get_debug", "get_stats", "get_threshold", "is_finalized",
    "is_tracked", "isenabled", "set_debug", "set_threshold", "unfreeze",
)  # fmt: skip
"""What ``gc`` has that gives no object."""
_REACHES = (
    re.compile(r"co_(?:code|consts|names)[ \t]*=(?!=)"),
    re.compile(r"__import__[ \t]*=(?!=)"),
    re.compile(rf"gc(?<!\wgc)(?:\b(?<!import gc)(?!\s*\.\s*(?:{'|'.join(HARMLESS_OF_GC)})\b)| as\b)"),
    re.compile(r"enum(?<!\wenum)(?:(?<!import enum)(?=\s*[,)\]])| as\b)"),
    re.compile(r"modules\s*(?:\[\s*[^\"'\s]|\[\s*[^\n\]]*[+%(]|\.(?:update|setdefault|__setitem__)\b|\|=|[,)\n]|\Z)"),
)
SEARCH_PATH = "sys.path"
"""Among the attributes that a file could set: where imports are looked for."""
_SEARCH_PATH = (
    *(re.compile(said) for said in (r"sys\.path\b", "addsitedir", "PYTHONPATH", r"from sys import[^\n]*\bpath\b")),
    re.compile(r"sys(?<!\wsys)(?: as\b|\s*,\s*[\"']path[\"'])"),
)
SET_OF = "@"
"""Before a word of what a file may set names of that are not in sight."""
_SET_OF = (
    re.compile(r"attr(?<=setattr|delattr|getattr)(?:__)?\s*\(\s*(?:\w+\s*\.\s*)*(\w+)"),
    re.compile(r"vars\s*\(\s*(?:\w+\s*\.\s*)*(\w+)"),
)
_WHOSE = re.compile(r"\.\s*__(?:dict|setattr|delattr)__")
_LAST = re.compile(r"(\w+)\s*\Z")
_SPECIAL = re.compile(r"__[a-z]+(?:_[a-z]+)*__")
_OF_TRITON = tuple(re.compile(rf"\.{name}\b(?!\s*\()") for name in ("configs", "kwargs", "values"))
"""What changes things by being there: methods that operators call, and attributes that Triton hands out."""
_LONGEST_PATH = 1000
_BACKWARDS = re.compile(r"[\w.]*")
_WORD = re.compile(r"\w+")
_OWN = re.compile(r"(?<![\w.])self\s*\Z")
_GAP = 40
_STRANGE = re.compile(
    "[^\x00-\x7f\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6\u00bb\u00bf\u00d7\u00f7\u2010-\u206f\u2190-\u245f\u2500-\u2bff"
    "\U0001f000-\U0001faff]"
)
"""What could be in a name, or be another character in one: no punctuation, arrow, rule or picture."""
_TEXT_OF_PATH = re.compile(r"[\"'](?:(?:\w+\.)*(\w+\.\w+)[\"']|(\w+)[\"'](?=\s*,))")
"""Texts that may be paths of modules, or of what is in them."""
_RUNS = (
    *(re.compile(rf"{word}(?<![\w.\"'`]{word})\b(?=\s*[(),\]\n])") for word in ("exec", "eval")),
    re.compile(r"builtins\.(?:exec|eval)\b"),
)
RUNNERS = (
    "bdb", "cProfile", "code", "codeop", "doctest", "pdb", "profile", "runpy", "timeit", "trace", "unittest",
    "torch.utils.benchmark",
)  # fmt: skip
"""Modules whose functions run a text that they are given, or set what a text names."""
_RUNNERS = tuple(
    re.compile(
        rf"{said}[ \t(]+(?:[\w.]+[ \t]*(?:as[ \t]+\w+[ \t]*)?,[ \t]*)*(?:"
        rf"{'|'.join(map(re.escape, RUNNERS))}|torch\.utils[ \t]+import[ \t(]+benchmark)\b"
    )
    for said in ("import", "from")
)
_COMPILES = re.compile(r"compile\((?<![\w.]compile\()")
_RUNS_WITHIN = tuple(re.compile(rf"{word}\((?<=[\"']{word}\()") for word in ("exec", "eval"))
"""A text that runs another."""
PICKLES = ("pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "torch")
"""Modules that call what a text of theirs names."""
_PICKLED = (re.compile(r"load(?<!\wload)s?\b"), re.compile(r"Unpickler(?<!\wUnpickler)\b"))
_WRITTEN_DOWN = (
    re.compile(r"code\((?<=(?:de|en)code\()"),
    *(re.compile(rf"{word}\((?<!\w{word}\()") for word in ("fromhex", "unhexlify", "decompress", "bytes", "bytearray")),
    re.compile(r"[\"'](?:(?<=\b[bB][\"'])|(?<=\b[bB][rR][\"'])|(?<=\b[rR][bB][\"']))"),
)
_MODULES_SET = re.compile(
    r"modules(?<!\wmodules)(?:\s*\[\s*(?:(__name__)|[\"']([\w.]+)[\"'])\s*\]\s*=(?!=)|\s*[,|]|[\"']\s*,|"
    r"\.(?:update|setdefault|__setitem__)\b|\s*\n)"
)
_TEXTS = re.compile(r"[\"']([\w.]+)[\"']|\b(__name__)\b|\b(\w+)\s*=(?!=)")
_MODULES_NEAR = 400
"""Characters, at least: where brackets are open, all that is in them."""
_ALIAS = re.compile(r"=[ \t]*\w+(?:\.\w+)*\.(\w+)[ \t]*$", re.MULTILINE)
"""What may have a module by another's name for it."""
_DEEP = re.compile(r"\.(\w+)\.\w+(?:\[|\.[a-z_]+\()")
_PARTS = (
    re.compile(r"getattr\([^\"'()]{0,200}[\"'](\w+)[\"']"),
    re.compile(r"vars\([\w.]{0,200}\)\s*\[\s*[\"'](\w+)[\"']"),
    re.compile(r"__dict__\s*\[\s*[\"'](\w+)[\"']"),
)
"""What is taken of a package by a text."""


@record
class Mentions:
    """``names``: those of other files that the file could launch. ``renamed``: what else it calls what it got.
    ``imported``: the words of its imports; ``stored``: the attributes that it could set, of whatever."""

    names: frozenset[str] = frozenset()
    renamed: Mapping[str, frozenset[str]] = field(default_factory=dict[str, "frozenset[str]"])
    imported: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()


def mentions(text: str) -> Mentions:
    """What a text mentions."""
    names: set[str] = set()
    renamed: dict[str, frozenset[str]] = {}

    def also(name: str | None, other: str) -> None:
        if name and name != other:
            renamed[name] = renamed.get(name, frozenset()) | {other}

    if "import" not in text:
        # Nothing of another file is known here by any name, but by a path that is a text; it may be handed something.
        stored, paths = _stored(text)
        return Mentions(imported=frozenset(paths), stored=stored)
    for match in _IMPORT.finditer(text):
        for found in _IMPORTED.finditer(_COMMENT.sub("", match[1])):
            names.add(found[1])
            if found[2]:
                names.add(found[2])
                also(found[1], found[2])
    for match in _RENAMED.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "import" in before and "from" not in before and (words := _WORD.findall(before)):
            also(words[-1], match[1])  # `import package.config as c`
    words = {word for said in _MODULES for match in said.finditer(text) for word in _WORD.findall(match[1])} | names
    stored, paths = _stored(text)
    words |= paths
    if "*" in names:
        words.update(_WORD.findall(text))
    if looks_up_modules(text):
        words |= _by_text(text)
        for match in _LOADED.finditer(text):
            loads = _LOADS.search(text[text.rfind("\n", 0, match.start()) + 1 : match.start()])
            also(loads and match[1].rpartition(".")[2], loads[1] if loads else "")
    for match in _NAMED.finditer(text):
        for group in (2, 3, 4):
            also(match[group], match[1])
    if not (any(hint.search(text) for hint in HINTS) or (_GRID.search(text) and BOUND.search(text))):
        return Mentions(renamed=renamed, imported=frozenset(words), stored=stored)
    if "*" in names:
        names.update(match[1] for match in _LAUNCHED.finditer(text))
    names.update(match[1] for match in _ATTRIBUTE.finditer(text))
    return Mentions(frozenset(names), renamed, frozenset(words), stored)


def as_named(text: str) -> str:
    """A text with its names as Python has them: what is not ASCII may be spelled otherwise."""
    plain = text.isascii() or _STRANGE.search(text) is None or is_normalized("NFKC", text)
    return text if plain else normalize("NFKC", text)


def _by_text(text: str) -> set[str]:
    """The words of the modules that a text has by their names: any, unless all of the name is in sight."""
    words = {ANY_MODULE} if sys_otherwise(text) or has_main(text) else set[str]()
    for match in _LOOK_UP.finditer(text):
        if match.lastindex:
            words.update(_WORD.findall(match[match.lastindex]))
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        if not (_ONLY_IMPORTED.match(text, start, match.start()) and _IMPORT_ENDS.match(text, match.end())):
            words.add(ANY_MODULE)
    return words


def _any_of(patterns: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def runs(text: str) -> bool:
    """Whether it may run a text."""
    return ("exec" in text or "eval" in text) and _any_of(_RUNS, text)


def runs_within(text: str) -> bool:
    """Whether it may have a text that runs another, or make code of one that a function may have."""
    within = ("exec(" in text or "eval(" in text) and _any_of(_RUNS_WITHIN, text)
    return within or "compile(" in text and _COMPILES.search(text) is not None


def has_pickles(text: str) -> bool:
    """Whether a text may load a pickle that is written down in it."""
    return any(word in text for word in PICKLES) and _any_of(_PICKLED, text) and _any_of(_WRITTEN_DOWN, text)


def goes_through(text: str) -> bool:
    """Whether a text may take modules out of what has them, by no name."""
    return any(word in text for word in _GO_THROUGH) or "getattr(" in text and _TAKES.search(text) is not None


def takes_unspelled(text: str) -> bool:
    """Whether a text may take something of a module, or of its own, by no name that it spells."""
    return any(word in text for word in _UNSPELLED) or _COMPUTES.search(text) is not None or runs(text)


def _of_own(text: str, dot: int) -> bool:
    if text[dot - 1 : dot].isspace():
        return _OWN.search(text, max(0, dot - _GAP), dot) is not None
    return text.endswith("self", 0, dot) and not (text[dot - 5 : dot - 4].isalnum() or text[dot - 5 : dot - 4] in "_.")


def _path(text: str, end: int) -> list[str]:
    """The words of the dotted path that ends there, but the first, which is no import's."""
    before = _BACKWARDS.match(text[max(0, end - _LONGEST_PATH) : end][::-1])
    path = before[0][::-1] if before else ""
    return path.split(".")[1:] if "." in path else []


def _stored(text: str) -> tuple[frozenset[str], set[str]]:
    """The attributes that a text could set, and the words of the dotted paths among them."""
    paths: set[str] = set()
    found: set[str] = set()
    through = goes_through(text)
    for match in settable(text):
        start, name = match.start(), match[1]
        if _of_own(text, start):
            found.add(f"{OWN}{name}")
            continue
        found.add(name)
        paths.update(_path(text, start))  # `package.config.NAME = 1`
        if through or not (text[start - 1].isalnum() or text[start - 1] == "_"):
            found.add(f"{GIVEN}{name}")
    paths.update(match[1] for match in _ALIAS.finditer(text))
    for match in _DEEP.finditer(text):
        paths.update((match[1], *_path(text, match.start())))
    if _any_of(_COMPUTED, text):
        found.add(ANY_NAME)
    if through or any(word in text for word in ("setattr", "delattr", "exec(", "eval(")):
        paths.update(match[1] for match in _MEMBER.finditer(text))  # `setattr(main.config, "NAME", 1)`
    if "getattr(" in text or "vars(" in text or "__dict__" in text:
        paths.update(match[1] for part in _PARTS for match in part.finditer(text))
    if "modules" in text:
        found.update(f"{MODULE}{name}" for name in _modules_set(text))
    found.update(word for word in (*_WITHOUT_A_STORE, DEFAULT_DTYPE, *SWAPS) if word in text)
    found.update(match[0] for match in _SPECIAL.finditer(text))
    if "aten" in text and ("impl" in text or "register" in text or "Library" in text) and _OF_ATEN.search(text):
        found.add(OF_ATEN)
    if "torch" in text and "getattr(" in text and _TAKES_OF_TORCH.search(text):
        found.add(TAKES_OF_TORCH)
    for dotted, last in _TEXT_OF_PATH.findall(text):
        found.add(f"{TEXT}{last or dotted}")
        if dotted:
            found.add(f"{TEXT}{dotted.rpartition('.')[2]}")
    if runs(text) or _any_of(_RUNNERS, text) or runs_within(text):
        found.add(RUNS)
    if ("path" in text or "PATH" in text or "sys as" in text) and _any_of(_SEARCH_PATH, text):
        found.add(SEARCH_PATH)
    found |= code_texts.marks(text) | aggregate_operators.marks(text) | compiler_stores.marks(text)
    reaching = any(word in text for word in REACHING) or has_main(text) or _any_of(_REACHES, text)
    if reaching or has_pickles(text):
        found.add(REACHES)
    if not found.isdisjoint((ANY_NAME, RUNS, REACHES)):
        found.update(f"{SET_OF}{word}" for word in _set_of(text))
    found.update(match[0] for kept in _OF_TRITON for match in kept.finditer(text))
    if "setattr" in text or "delattr" in text or "patch" in text:
        dotted = [name.split(".") for name in named_by_text(text)]
        found.update(parts[-1] for parts in dotted)
        found.update(f"{GIVEN}{parts[-1]}" for parts in dotted if through)
        paths.update(part for parts in dotted for part in parts[:-1])
    return frozenset(found), paths


def _set_of(text: str) -> set[str]:
    """The words of what a text may set names of that are not in sight: what it imports it may have under any name."""
    found = {match[1] for sets in _SET_OF for match in sets.finditer(text)}
    for match in _WHOSE.finditer(text):
        last = _LAST.search(text, max(0, match.start() - _LONGEST_PATH), match.start())
        found.update([last[1]] if last else ())
    found.update(word for match in _MODULES[0].finditer(text) for word in _WORD.findall(match[1]))
    return found


def _modules_set(text: str) -> set[str]:
    """The modules that a text could put another in the place of, by their names, which stand near."""
    found: set[str] = set()
    for match in _MODULES_SET.finditer(text):
        end = max(match.end() + _MODULES_NEAR, around(text, match.end())) if not (match[1] or match[2]) else 0
        near = text[match.end() : end]
        found.update(word for word in (match[1], match[2]) if word)
        found.update(word for words in _TEXTS.findall(near) for word in words if word)
    return found
