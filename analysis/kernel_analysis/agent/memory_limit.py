"""How much memory the agent may take: a compile that wants more fails by itself instead of taking the machine with it.

May change the limits of this process only.
"""

from __future__ import annotations

import sys


def limit_memory(megabytes: int) -> None:
    """RLIMIT_DATA, not RLIMIT_AS: it counts private writable memory only, not the compiler's mapped library and
    thread stacks.

    Python then raises MemoryError; the compiler's C++ aborts, which the server sees as a crash of this process.
    """
    try:
        import resource
    except ImportError:
        print("triton-ls: this system has no memory limits; compiles run without one", file=sys.stderr)
        return
    limit = megabytes << 20
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard not in (resource.RLIM_INFINITY, -1):
        limit = min(limit, hard)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    except (ValueError, OSError) as error:
        print(f"triton-ls: the memory limit could not be set ({error}); compiles run without one", file=sys.stderr)
