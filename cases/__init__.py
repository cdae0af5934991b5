"""Built-in cases; `dem cases` lists them, and README.md of this folder says which file has which virtual test.

`shared/` has what several cases have in common, `gas_column.py` the flow solver of `fluidised_bed.py`.

The package is called as the function `dem.cases` is, whose name in `dem` it takes once a case has been imported.
"""

import sys
from types import ModuleType

from dem.case import find


class _Cases(ModuleType):
    """Module type that makes the package `dem.cases` callable as the function of that name."""

    __call__ = staticmethod(find.cases)


sys.modules[__name__].__class__ = _Cases
