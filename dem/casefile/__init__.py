"""Case files: descriptions of simulations in TOML.

- `load.py`, `toml.py`, `set_options.py`: read a file, apply ``--set``, report what is wrong
- `schema/`: the tables and keys that a file may have
- `file_case.py`, `particle_groups.py`, `state_files.py`: make a simulation of a file
- `choose.py`, `chosen_case.py`: a case by its name or by its file
- `preview.py`: what a file would run, and how long that would take (``dem check``)
- `write.py`, `case_content.py`: write a file with comments, also of a built-in case
"""

from dem.casefile.choose import choose_case, with_text_parameters
from dem.casefile.chosen_case import ChosenCase

__all__ = ["ChosenCase", "choose_case", "with_text_parameters"]
