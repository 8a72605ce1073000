"""What is raised where something is not evaluated here. Imports nothing, for whatever refuses."""

from __future__ import annotations


class NotEvaluable(Exception):
    """A construct that is not evaluated here; the message is for the user."""
