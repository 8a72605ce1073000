"""Running a kernel. ``plan`` makes a launch (``follow``: from the code around it; ``bounds``: so that no access leaves
its buffers); ``execution`` runs it, and alone imports torch. Between them goes plain data, the ``launch_model``.

The agent that looks imports none of it: only who asks for a run, or for a launch, starts its processes.
"""
