"""`python -m dem`: the command line, also where the command `dem` is not on the path."""

import sys
from pathlib import Path

from dem.cli import main

# as for the command `dem`, what lies in the working folder is not imported, unless that is where dem is
if sys.path[0] == str(Path.cwd()) != str(Path(__file__).resolve().parents[1]):
    del sys.path[0]
main()
