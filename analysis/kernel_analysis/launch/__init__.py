"""Running a kernel: what to launch it with (``plan``), and the process that does (``worker``), the only place that
imports torch. Nothing here is imported by the agent; only an explicit run starts it."""
