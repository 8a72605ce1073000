# analyzed root: a project that chooses the program
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- pyproject.toml
[tool.triton-ls]
interpreter = 'MARKER'
cache = 'FOLDER/CASE'
[build-system]
requires = []
build-backend = 'attack_backend2'
[tool.pytest.ini_options]
addopts = '-p attack_backend2'
# ---- attack_backend2.py
open('CANARY', 'w').close()
# ---- setup.cfg
[tool:pytest]
python_files = *.py
# ---- tox.ini
[testenv]
commands = touch CANARY
