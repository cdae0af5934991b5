"""Python on the pages runs, by the interpreter; what needs the files of commands waits for the long tests."""

import pages
import pytest

FROM_COMMANDS = {"start.md"}
LONG = {"coming-and-going", "bulk"}
PYTHON = [page for page in pages.PAGES if any(language == "python" for language, _ in pages.blocks(page))]


@pytest.mark.filterwarnings("default::dem.DemWarning")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow) if page.stem in LONG else page
        for page in PYTHON
        if page.name not in FROM_COMMANDS
    ],
    ids=lambda page: page.stem,
)
@pytest.mark.slow
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages.follow(page, commands=False)
