"""What the command line tells its user instead of a traceback. May not import the rest."""

from __future__ import annotations


class UserError(Exception):
    """The message says what is wrong and, where possible, what to do."""
