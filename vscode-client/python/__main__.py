"""The start of the server that is bundled with the VS Code extension: ``python -I -S <this folder> serve``.

Python puts this folder first on ``sys.path``, so that what is bundled counts, not what the user happens to have.
"""

import sys

from triton_ls.cli import main

sys.exit(main())
