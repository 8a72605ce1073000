"""Which addresses a kernel may touch, for given scalars and grid: its Ir evaluated once, with every value a range.

Upwards: ``forms`` and ``integers`` are the arithmetic, ``values`` and ``effects`` single operations, ``loops`` what a
loop carries, ``addresses`` the whole kernel. Runs nothing; knows no launch, no tensor and no torch.
"""
