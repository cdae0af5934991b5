"""`python -m dem.cli`."""

import sys
from pathlib import Path

from dem.cli import main

# as for the command `dem`, what lies in the working folder is not imported, unless that is where dem is
if sys.path[0] == str(Path.cwd()) != str(Path(__file__).resolve().parents[2]):
    del sys.path[0]
main()
