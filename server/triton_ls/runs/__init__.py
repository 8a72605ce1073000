"""Running a kernel on request: its processes (``supervisor``) and what is told of the result (``run_report``).

Knows what goes in and out of ``kernel_analysis/launch``, never LSP; imports neither triton nor torch.
"""
