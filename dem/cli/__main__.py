"""`python -m dem.cli`."""

from dem.cli import main

main()
