"""The site: ``python -m sphinx -W -b html docs site`` (``pip install -e '.[docs]'``), which needs no network.

Pages that follow from something are made first, into ``docs/made``: see the folder ``make``.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "make"), str(HERE.parent)]

import api  # noqa: E402
import equations  # noqa: E402
import pages  # noqa: E402

project = "pcdm-dem"
author = "the authors of pcdm-dem"
version = release = installed("pcdm-dem")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["make", "data", "README.md"]
html_theme = "furo"
html_title = "pcdm-dem"
html_static_path = ["static"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header"]  # pages of the interface begin where their docstrings do
linkcheck_anchors = False
templates_path: list[str] = []

with tempfile.TemporaryDirectory() as folder:
    fresh = Path(folder)
    api.write(fresh / "api")
    equations.write(fresh / "equations")
    for make in (pages.gallery, pages.truth, pages.speed, pages.how_to, pages.command_line, pages.changes):
        make(fresh / f"{make.__name__.replace('_', '-')}.md")
    pages.take_over(fresh, HERE / "made")
