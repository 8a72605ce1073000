"""Running a kernel. ``plan`` makes a launch (``follow``: from the code around it; ``bounds``: so that no access leaves
its buffers); ``execution`` runs it, and alone imports torch. Between them goes plain data, the ``launch_model``.

Of all this the agent imports only ``pragma``, which is text; only an explicit run starts the rest.
"""
