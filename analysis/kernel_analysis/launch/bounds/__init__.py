"""Which addresses a kernel may touch, for given scalars and grid: its Ir evaluated once, with every value a range.

Upwards: ``linear_forms`` and ``integers`` are the arithmetic, ``ranges`` (values) and ``recording`` (memory) single
operations, ``loop_ranges`` what a loop carries, ``reach`` the whole kernel. Runs nothing; knows no launch, no tensor
and no torch.
"""
