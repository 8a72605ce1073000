"""Runs a launch on a device or in Triton's interpreter, and holds what it did against what the analysis claims.

The only place that imports torch. ``run_process`` is where it runs, and is started by an explicit run alone.
"""
