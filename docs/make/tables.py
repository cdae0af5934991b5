"""Tables of results on pages, written from `docs/data/results`: ``python docs/make/tables.py``.

A page has a table between the comments ``<!-- table NAME -->`` and ``<!-- end of table -->``. NAME.json has its
columns and rows, and what they depend on: machine, date, versions and command.
``<!-- table NAME short -->`` takes only the rows that the file lists as `short`. Text between the comments is replaced.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "docs" / "data" / "results"
PLACE = re.compile(r"<!-- table ([\w-]+)( short)? -->\n.*?<!-- end of table -->", re.DOTALL)
KEYS = ("meaning", "machine", "date", "versions", "command", "columns", "rows")


def table(name: str, *, short: bool = False) -> str:
    """Markdown of one table, with the sentence that says what it means and what it depends on."""
    result = json.loads((RESULTS / f"{name}.json").read_text())
    rows = [result["rows"][k] for k in result["short"]] if short else result["rows"]
    lines = [result["columns"], ["---"] * len(result["columns"]), *rows]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    command, bracket, remark = result["command"].partition(" (")
    source = f"{result['machine']}; {result['date']}; {result['versions']}; `{command}`{bracket}{remark}"
    return f"{result['meaning']}\n\n{body}\n\nMeasured on {source}."


def filled(text: str) -> str:
    """Text of a page with all its tables as the data files have them."""

    def write(found: re.Match[str]) -> str:
        name, short = found[1], found[2] or ""
        return f"<!-- table {name}{short} -->\n\n{table(name, short=bool(short))}\n\n<!-- end of table -->"

    return PLACE.sub(write, text)


def pages() -> list[Path]:
    """All pages that may have tables."""
    docs = (page for page in (ROOT / "docs").rglob("*.md") if "made" not in page.parts)
    return [ROOT / "README.md", *sorted(docs)]


if __name__ == "__main__":
    for page in pages():
        text = page.read_text()
        if filled(text) != text:
            page.write_text(filled(text))
            print(page.relative_to(ROOT))
