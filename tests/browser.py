"""A headless browser, if one is installed: `DEM_BROWSER`, one on the path, or that of Playwright."""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@contextmanager
def opened():
    """A page of a browser, and the lists of what it said, fetched and complained of; skips where there is none."""
    sync = pytest.importorskip("playwright.sync_api", reason="no browser to try pages in: pip install playwright")
    found = os.environ.get("DEM_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    with sync.sync_playwright() as machine:
        try:
            browser = machine.chromium.launch(executable_path=found, args=list(OPTIONS))
        except sync.Error:
            pytest.skip("no browser to try pages in: playwright install chromium, or DEM_BROWSER=/path/to/chromium")
        page = browser.new_page(viewport={"width": 900, "height": 600})
        seen = {"fetched": [], "wrong": []}
        page.on("request", lambda request: seen["fetched"].append(request.url))
        page.on("pageerror", lambda error: seen["wrong"].append(str(error)))
        page.on("console", lambda said: seen["wrong"].append(said.text) if said.type == "error" else None)
        yield page, seen
        browser.close()


def wait(page, condition, seconds=60):
    """Wait until something is so; the page allows nothing to be evaluated again and again by itself."""
    for _ in range(10 * seconds):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"never: {condition}; {page.evaluate('dem.state.errors')}")
