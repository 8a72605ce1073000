# analyzed root: path files, entry points and a pyproject that names programs
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- attack.pth
import os; os.system('touch CANARY')
# ---- x.dist-info/entry_points.txt
[triton.backends]
attack = attack_backend
[console_scripts]
triton-ls = attack_backend:main
# ---- x.dist-info/METADATA
Name: x
Version: 1
# ---- attack_backend.py
open('CANARY', 'w').close()
# ---- triton.egg-link
FOLDER
# ---- pyvenv.cfg
home = FOLDER
# ---- python
#!/bin/sh
touch CANARY
# ---- .env
PYTHONSTARTUP=FOLDER/attack_backend.py
