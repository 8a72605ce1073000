"""What the user can set, where it comes from, and which of it wins: client, then ``pyproject.toml``, then the default.

A setting that is unknown or of the wrong type is reported in a sentence and otherwise ignored; a number has a ceiling,
wherever it comes from, because much of it comes with a folder. May not talk to the client.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from kernel_analysis.codes import SAYS
from kernel_analysis.files import Unreadable, read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SECTION = "triton-ls"
CLIENT_OPTIONS = ("virtualDocuments", "status", "trusted")
"""Of the ``initializationOptions``, those that are no settings."""
_LARGEST = 1_000_000
_LONGEST_SHOWN = 80
_MOST_DOTS = 10_000_000
Level = Literal["off", "hint", "information", "warning", "error"]
LEVELS: tuple[Level, ...] = ("off", "hint", "information", "warning", "error")


CODES = tuple(SAYS)
_LEAST_CUDA, _MOST_CUDA = 50, 129
_TARGET = re.compile(r"cuda:(?P<cuda>\d{2,3})|hip:gfx[0-9a-f]{3,5}|[a-z]+(?<!cuda)(?<!hip):\w+")


def default_cache_directory() -> str:
    """Where programs of this user keep what can be computed again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return os.path.join(base, "triton-ls")


@dataclass(frozen=True, slots=True)
class InlayHints:
    """Which hints stand in the text: ``types`` of what is assigned, ``written`` parameters."""

    types: bool = True
    written: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """Numbers are of the units in ``NUMBERS``. ``cache`` is a directory, or None for no cache on disk. ``device``: what
    kernels are run on, None for the first GPU or else the interpreter."""

    interpreter: str = sys.executable
    target: str = "cuda:90"
    timeout: float = 10.0
    file_budget: float = 60.0
    total_budget: float = 300.0
    severity: Mapping[str, Level] = field(default_factory=dict[str, Level])
    cache: str | None = field(default_factory=default_cache_directory)
    memory_limit: int = 4096
    debounce: int = 0
    device: str | None = None
    run_timeout: float = 120.0
    inlay_hints: InlayHints = field(default_factory=InlayHints)

    @property
    def cache_file(self) -> str | None:
        return None if self.cache is None else os.path.join(self.cache, "facts.sqlite")

    @property
    def untrusted_cache_file(self) -> str | None:
        """For workspaces that the user does not trust: whatever a text there did to its agent, it says nothing of a
        kernel elsewhere."""
        return None if self.cache is None else os.path.join(self.cache, "facts-untrusted.sqlite")


@dataclass(frozen=True, slots=True)
class Number:
    """What a setting may be set to; ``whole``: without a fraction."""

    unit: str
    least: float
    most: float
    whole: bool = False


NUMBERS = {
    "timeout": Number("seconds", 0.1, 60),
    "file_budget": Number("seconds", 1, 300),
    "total_budget": Number("seconds", 1, 900),
    "memory_limit": Number("megabytes", 256, 16384, whole=True),
    "debounce": Number("milliseconds", 0, 5000, whole=True),
    "run_timeout": Number("seconds", 1, 3600),
}


_ABSURD = 1e9
"""From here on nobody means a limit."""


class SettingRefused(ValueError):
    """A value that a setting can't have; the message says what it can."""


class Amended(Exception):
    """A value of which only ``value`` counts; the message says why."""

    def __init__(self, message: str, value: object) -> None:
        super().__init__(message)
        self.value = value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise SettingRefused("is a text")
    return value


def _interpreter(value: object) -> str:
    return os.path.expanduser(_text(value))


def _target(value: object) -> str:
    match = _TARGET.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["cuda"] and not _LEAST_CUDA <= int(match["cuda"]) <= _MOST_CUDA:
        raise SettingRefused('is a text like "cuda:90" or "hip:gfx942"')
    return match[0]


def _number(name: str, value: object) -> float:
    number = NUMBERS[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not number.least <= value < _ABSURD:
        raise SettingRefused(f"is a number of {number.unit}, at least {number.least:g}")
    if value > number.most:
        most = int(number.most) if number.whole else float(number.most)
        raise Amended(f"is at most {number.most:g} {number.unit}, which is used", most)
    return int(value) if number.whole else float(value)


def _severity(value: object) -> Mapping[str, Level]:
    levels = cast("dict[object, object]", value) if isinstance(value, dict) else {None: None}
    if not all(isinstance(code, str) and level in LEVELS for code, level in levels.items()):
        raise SettingRefused(f"is a table from a rule's code to one of {', '.join(LEVELS)}")
    if not levels.keys() <= set(CODES):
        known = {code: level for code, level in levels.items() if code in CODES}
        raise Amended(f"is a table from a rule's code, one of {', '.join(CODES)}, to a level", known)
    return cast("dict[str, Level]", levels)


def _cache(value: object) -> str | None:
    if isinstance(value, bool):
        return default_cache_directory() if value else None
    if not isinstance(value, str) or not os.path.isabs(os.path.expanduser(value)):
        raise SettingRefused("is true, false or the full path of a directory")
    return os.path.expanduser(value)


def _switches(value: object) -> Mapping[str, bool]:
    given = cast("dict[object, object]", value) if isinstance(value, dict) else {None: None}
    known = [each.name for each in fields(InlayHints)]
    given = {name: on for name, on in given.items() if on is not None or name is None}
    if not all(name in known and isinstance(on, bool) for name, on in given.items()):
        raise SettingRefused(f"is a table from {' and '.join(known)} to true or false")
    return cast("dict[str, bool]", given)


_CONVERTERS: dict[str, Callable[[object], Any]] = {
    "interpreter": _interpreter,
    "target": _target,
    "severity": _severity,
    "cache": _cache,
    "inlay_hints": _switches,
    "device": _text,
    **{name: partial(_number, name) for name in NUMBERS},
}
assert set(_CONVERTERS) == {field.name for field in fields(Settings)}


def _shown(value: object) -> str:
    """A value as it was written, if that is a matter of one line."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # a number of thousands of digits has no decimal spelling
        return f"this {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _key(name: str) -> str:
    """``memoryLimit`` (editors) and ``memory-limit`` (TOML) are ``memory_limit``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).replace("-", "_")


def parse(source: object, origin: str) -> tuple[dict[str, Any], list[str]]:
    """The settings in a table that a user wrote, and a sentence for each that is not understood. None values count as
    absent."""
    if source is None:
        return {}, []
    if not isinstance(source, dict):
        return {}, [f"{origin}: the settings of triton-ls are a table, not {_shown(source)}."]
    values: dict[str, Any] = {}
    complaints: list[str] = []
    for name, value in cast("dict[object, object]", source).items():
        key = _key(str(name))
        if value is None or key == "trace":  # `triton-ls.trace.server` belongs to the client itself
            continue
        if key not in _CONVERTERS:
            known = ", ".join(sorted(_CONVERTERS)).replace("_", "-")
            complaints.append(f"{origin}: triton-ls has no setting {_shown(name)}; it has {known}.")
            continue
        try:
            values[key] = _CONVERTERS[key](value)
        except SettingRefused as refused:
            complaints.append(f"{origin}: the setting {_shown(name)} {refused}, not {_shown(value)}.")
        except Amended as amended:
            values[key] = amended.value
            complaints.append(f"{origin}: the setting {_shown(name)} {amended}, not {_shown(value)}.")
    return values, complaints


# A project's file must not decide which program runs or where files are written when somebody merely looks at the
# project.
_CLIENT_ONLY = ("interpreter", "cache")


def find_pyproject(start: str) -> Path | None:
    """The nearest ``pyproject.toml`` at or above the directory ``start``, whether it can be read or not."""
    return next((p for d in (Path(start), *Path(start).parents) if os.path.exists(p := d / "pyproject.toml")), None)


def read_pyproject(path: Path | None) -> tuple[dict[str, Any], list[str]]:
    """Its ``[tool.triton-ls]``, and what is wrong in there."""
    if path is None:
        return {}, []
    try:
        document = _parsed(read_file(str(path), _LARGEST))
    except (Unreadable, ValueError) as error:
        return {}, [f"{path}: cannot be read, its settings are not used: {error}."]
    tool: object = document.get("tool")
    table = cast("dict[str, object]", tool).get("triton-ls") if isinstance(tool, dict) else None
    values, complaints = parse(table, str(path))
    for key in _CLIENT_ONLY:
        if key in values and not (key == "cache" and values[key] in (None, default_cache_directory())):
            del values[key]
            complaints.append(
                f"{path}: {key!r} is not taken from a project's file, because opening a project must not choose which "
                f"programs run or where files are written; set it in the editor or on the command line."
            )
    return values, complaints


def _parsed(content: bytes) -> dict[str, object]:
    """Raises ValueError for whatever is no TOML that can be read in a moment."""
    # What reading a dotted name takes grows with the square of its parts.
    if sum(line.count(b".") ** 2 for line in content.splitlines()) > _MOST_DOTS:
        raise ValueError("there are too many dots on its lines")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error


def merge(client: Mapping[str, Any], project: Mapping[str, Any]) -> Settings:
    """The client's word counts before the project's; of ``severity`` each code
    by itself, of ``inlay_hints`` each switch."""
    severity = {**project.get("severity", {}), **client.get("severity", {})}
    hints = InlayHints(**{**project.get("inlay_hints", {}), **client.get("inlay_hints", {})})
    return replace(Settings(), **{**project, **client, "severity": severity, "inlay_hints": hints})
