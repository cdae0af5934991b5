"""Case files: simulations described in TOML.

`schema.py` says what may stand in them, `load.py` reads them, `write.py` writes examples, `check.py` looks ahead.
"""

from dem.casefile.choose import chosen_case, with_words
from dem.casefile.chosen import Chosen

__all__ = ["Chosen", "chosen_case", "with_words"]
