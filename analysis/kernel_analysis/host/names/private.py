"""Names that a class makes others of: ``__name`` in the class ``A`` is ``_A__name``. What may be such a name is told
by how it is spelled."""

from __future__ import annotations

import re

_OWN = re.compile(r"__\w*(?<!__)\Z")
_OUTSIDE = re.compile(r"_+[^\W_]\w*?(__\w+)(?<!__)\Z")


def remade(name: str, text: str) -> bool:
    """Whether a class makes another name of it, or may make it of another that stands in the text of the file."""
    if name[:1] != "_":
        return False
    outside = _OUTSIDE.match(name)
    return _OWN.match(name) is not None or outside is not None and outside[1] in text.replace(name, "")
