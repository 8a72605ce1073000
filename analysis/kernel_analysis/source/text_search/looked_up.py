"""Whether a text may look modules up by their names. Looks at text only, quickly and not sparingly."""

from __future__ import annotations

import re

OF_DICTS = r"(?:get|items|values|keys|copy|pop|popitem|setdefault|update|clear|__\w+__)\b"
"""The methods of a dict."""
_SYS_OTHERWISE = (
    re.compile(r"sys(?<!\wsys)[ \t]+as\b"),
    re.compile(r"from(?<!\wfrom)[ \t]+sys[ \t]+import\b[^\n]*(?:\bmodules\b|\*|\()"),
    re.compile(r"modules(?<=[\"']modules)[\"']"),
    re.compile(r"sys(?<=[\w.]sys)\s*\.\s*modules\b"),
    re.compile(
        r"modules(?<=\.modules)(?<!sys\.modules)(?<!self\.modules)\b(?!\s*\(|[\"'`]|\s+(?:import|as)\b)"
        rf"(?!\s*\.\s*(?!{OF_DICTS})\w)"
    ),
)
"""What gives ``sys.modules`` by another name, or as an attribute of something else: ``os.sys.modules``,
``__import__("sys").modules``. (``model.modules()`` is called, ``torch.nn.modules.linear`` is a package.)"""


MAIN = "__main__"
"""The module that is run: any file."""
_COMPARED = re.compile(r"[!=]=\s*[\"']\Z")
_COMPARED_TO = re.compile(r"[\"']\s*[!=]=")
_GAP = 40


def looks_up_modules(text: str) -> bool:
    """Whether it may, by whatever."""
    return any(word in text for word in ("sys.modules", "import_module", "__import__", "resolve_name")) or (
        "modules" in text and sys_otherwise(text) or has_main(text)
    )


def has_main(text: str) -> bool:
    """Whether it may have the module that is run, which is more than to ask whether it is that one itself."""
    place = text.find(MAIN)
    while place >= 0:
        end = place + len(MAIN)
        compared = _COMPARED.search(text, max(0, place - _GAP), place) or _COMPARED_TO.match(text, end)
        if not compared and text[max(0, place - 1) : place] != ".":
            return True
        place = text.find(MAIN, end)
    return False


def sys_otherwise(text: str) -> bool:
    """Whether it may have ``sys.modules`` by another name, or out of something else."""
    return any(pattern.search(text) for pattern in _SYS_OTHERWISE)
