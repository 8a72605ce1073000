"""Paths of URIs as clients send them. May not import lsprotocol, nor look at the disk."""

from __future__ import annotations

import os

from pygls.uris import to_fs_path


def path_of(uri: str) -> str | None:
    """The path of a file's URI, where it is one that a file of this system can have: a whole one, that is text or bytes
    and holds no NUL. Of any other URI there is no file, whatever it is asked for."""
    try:
        path = to_fs_path(uri)
        known = path is not None and os.path.isabs(path) and b"\0" not in os.fsencode(path)
    except ValueError:  # an address that is none, characters that no encoding has
        return None
    return path if known else None
