"""Running a kernel. ``plan`` makes a launch (``follow``: from the code around it; ``bounds``: so that no access leaves
its buffers); ``execution`` runs it, and alone imports torch. Between them goes plain data, the ``launch_model``.

The agent imports none of it: only an explicit run starts its processes.
"""
