"""The process that makes a launch, which compiles what it plans: started as an agent is, and behind the same rules.

What a launch is made of is ``launch.plan``'s to know. May not execute anything of the user's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from kernel_analysis.agent.sandbox import seal
from kernel_analysis.agent.sandbox.confined import Confined
from kernel_analysis.files import confine, import_root
from kernel_analysis.launch.plan import plan_process


def main(user_path: list[str]) -> None:
    """Answer one question. ``user_path``: ``sys.path`` as the user's programs see it."""
    plan_process.main(user_path, _seal)


def _seal(file: str, roots: Iterable[str], installed: Iterable[str]) -> None:
    workspace = [*roots, import_root(os.path.dirname(os.path.realpath(file)))]
    places = tuple(installed)
    confine(Confined(workspace, places))
    seal.seal(workspace, places, lambda: None)
