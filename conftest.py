"""What tests of docstrings leave out: modules that cannot be imported without an extra that is not there."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mpi4py") else ["dem/ranks/mpi.py"]
