"""Python on the pages runs, by the interpreter; tests/test_pages.py follows all pages with compiled kernels."""

import pages
import pytest

COMPILED_ONLY = {"start", "recipes", "element-tests"}  # need files of commands, or run too long without compiling
PYTHON = [page for page in pages.PAGES if any(language == "python" for language, _ in pages.blocks(page))]


@pytest.mark.filterwarnings("default::dem.DemWarning")
@pytest.mark.parametrize(
    "page", [page for page in PYTHON if page.stem not in COMPILED_ONLY], ids=lambda page: page.stem
)
@pytest.mark.slow
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages.follow(page, commands=False)
