"""`python -m dem.cli`."""

import sys
from pathlib import Path

from dem.base import shadows
from dem.cli import main

# as for the command `dem`, what lies in the working folder is not imported, unless that is where dem is
if sys.path[0] == str(Path.cwd()) != str(shadows.HERE):
    del sys.path[0]
main()
