"""The site: ``python -m sphinx -W -b html docs site`` (``pip install -e '.[docs]'``), which needs no network.

Generated pages are written first, into ``docs/made``: see the folder ``make``.
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
import markdown  # noqa: E402
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
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header"]  # pages of the interface begin where their docstrings do
# python -m sphinx -b linkcheck docs links: asks every address that a page names, so that it wants a network
linkcheck_anchors = False  # pages elsewhere make theirs by scripts
linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_workers = 2
linkcheck_report_timeouts_as_broken = False
linkcheck_allowed_redirects = {r"https://doi\.org/.*": r"https://.*"}
linkcheck_ignore = [r"https://doi\.org/10\.(1016|1063)/.*"]  # of publishers that answer no programs
templates_path: list[str] = []

with tempfile.TemporaryDirectory() as folder:
    fresh = Path(folder)
    api.write(fresh / "api")
    equations.write(fresh / "equations")
    for make in (pages.gallery, pages.truth, pages.speed, pages.how_to, pages.command_line, pages.changes):
        make(fresh / f"{make.__name__.replace('_', '-')}.md")
    pages.take_over(fresh, HERE / "made")


def setup(app: object) -> None:
    """Set formulae on hand-written pages as on generated ones."""

    def read(_: object, name: str, text: list[str]) -> None:
        if not name.startswith("made/"):
            text[0] = markdown.marked(text[0])

    app.connect("source-read", read)
