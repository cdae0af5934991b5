"""The site has a page for everything: public names, kernels, cases; and it needs no network."""

import ast
import html
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from urllib.parse import unquote

import pages
import pytest
from rules import for_all

import dem

ROOT = pages.ROOT
sys.path.append(str(ROOT / "docs" / "make"))
import api  # noqa: E402
import equations  # noqa: E402
import markdown  # noqa: E402
import tables  # noqa: E402


def test_the_interface_is_complete(tmp_path):
    api.write(tmp_path)
    text = "\n".join(page.read_text() for page in tmp_path.glob("*.md"))
    for name, label in api.known().items():
        assert text.count(f"({label})=\n## `{name}`\n") == 1, name
    assert "(dem.Simulation.run)=" in text
    assert {link for link in re.findall(r"\]\(#([\w.-]+)\)", text) if f"({link})=" not in text} == set()
    assert "dem.Material(\n    *,\n    young: float,\n" in text  # by name only
    assert "dem.statistics.Profile(edges: np.ndarray, value: np.ndarray)" in text
    assert not re.search(" at 0x|ForwardRef", text)


@pytest.mark.slow
def test_every_kernel_file_has_a_page_with_its_functions(tmp_path):
    equations.write(tmp_path)
    for path in (ROOT / "kernels").glob("*/**/*.py"):
        if path.stem == "__init__":
            continue
        text = (tmp_path / path.relative_to(ROOT / "kernels")).with_suffix(".md").read_text()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and ast.get_docstring(node):
                assert f"## `{node.name}`" in text, f"{path}: {node.name}"
    hertz = (tmp_path / "laws" / "hertz.md").read_text()
    assert "`tests/test_hertz.py`" in hertz
    assert "Johnson, Contact Mechanics (1985)" in hertz


def test_plain_text_means_itself():
    """What is special to Markdown in a docstring is not: stars, bars, brackets."""
    assert markdown.inline("F = 4/3 E* √R* of |q|, `dem.Box` and ``x[i]``", {"dem.Box": "dem.Box"}) == (
        r"F = 4/3 E\* √R\* of \|q\|, [`dem.Box`](#dem.Box) and `x[i]`"
    )
    assert markdown.inline("F_n = k δ^1.5 [N m^-1.5] + e^{-λt} of x_i^2, a_very_long_name and `a^b`") == (
        r"F<sub>n</sub> = k δ<sup>1.5</sup> \[N m<sup>-1.5</sup>\] + e<sup>-λt</sup> of x<sub>i</sub><sup>2</sup>, "
        r"a\_very\_long\_name and `a^b`"
    )
    assert markdown.marked(
        "q'_{n+1} and ω̇_b ([a](b_c.md), `x_i^2`, `kernels/laws/hertz.py`): δ^(1/4) t_c²\n\n    a^2\n"
    ) == (
        "q'<sub>n+1</sub> and ω̇<sub>b</sub> ([a](b_c.md), `x_i^2`, "
        "[`kernels/laws/hertz.py`](/made/equations/laws/hertz.md)): δ<sup>1/4</sup> t<sub>c</sub>²\n\n    a^2\n"
    )
    assert markdown.marked("`kernels/walls/__init__.py`") == (
        "[`kernels/walls/__init__.py`](/made/equations/walls/index.md)"
    )
    told = markdown.of_docstring("""Do it.

    Parameters
    ----------
    x : float
        How far [m].

    Examples
    --------
    >>> 1 + 1
    2
    """)
    assert (
        told
        == "Do it.\n\n**Parameters**\n\n- `x` (float): How far \\[m\\].\n\n**Examples**\n\n```pycon\n>>> 1 + 1\n2\n```"
    )


@pytest.mark.slow
@pytest.mark.skipif(not all(map(importlib.util.find_spec, ("sphinx", "furo", "myst_parser"))), reason="no Sphinx here")
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    """What pages need lies beside them, and each link leads to a page, and to a place on it, that is there."""
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", tmp_path], cwd=ROOT, check=True)
    text = {page: page.read_text() for page in tmp_path.rglob("*.html")}
    named = {page: set(re.findall(r'\bid="([^"]+)"', said)) for page, said in text.items()}
    wrong = []
    for page, said in text.items():
        for kind, address in re.findall(r"""<(script|link|img|iframe|a)\b[^>]*?(?:src|href)=["']([^"']*)""", said):
            path, _, anchor = unquote(html.unescape(address)).partition("#")
            if re.match(r"(https?:)?//|mailto:|data:", path):
                wrong += [(page.name, address)] * (kind != "a" and not path.startswith("data:"))
                continue
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not target.exists() or (anchor and anchor not in named.get(target, {anchor})):
                wrong.append((page.name, address))
    assert not wrong
    assert (tmp_path / "made" / "equations" / "laws" / "hertz.html").exists()


def test_tables_of_results_are_those_of_the_data():
    """Pages have the tables that their data files give, and each file says what its numbers depend on."""
    for page in tables.pages():
        text = page.read_text()
        assert tables.filled(text) == text, f"{page}: run python docs/make/tables.py"
    written = "".join(page.read_text() for page in tables.pages())
    for file in tables.RESULTS.glob("*.json"):
        result = json.loads(file.read_text())
        assert all(result.get(key) for key in tables.KEYS), file
        assert {len(row) for row in result["rows"]} == {len(result["columns"])}, file
        assert f"<!-- table {file.stem}" in written, f"{file} is on no page"


def test_type_checkers_know_the_public_names():
    import stub  # noqa: PLC0415

    assert stub.STUB.read_text() == stub.text(), "make it anew: python docs/make/stub.py"


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="no mypy here")
def test_what_users_write_is_typed():
    subprocess.run([sys.executable, "-m", "mypy", "tests/typed_use.py"], cwd=ROOT, check=True)


PURE = re.compile(  # of numbers without a unit
    r"\[[^\]]+\]|direction|coefficient|unit quaternion|share|fraction|friction|restitution|exponent|ratio|number|"
    r"perpendicular|colour|opacity|over |axis|upwards|softness|pictures a second|of any length|see above|above \d|"
    r"how much",
    re.IGNORECASE,
)


def public():
    """All public functions and classes."""
    for room in (dem, dem.statistics, dem.plots):
        things = (getattr(room, name) for name in room.__all__)
        yield from (thing for thing in things if inspect.isfunction(thing) or inspect.isclass(thing))


def taking():
    """Those, and the methods of classes."""
    for thing in public():
        yield thing
        if inspect.isclass(thing):
            methods = ((name, each) for name, each in vars(thing).items() if inspect.isfunction(each))
            yield from (each for name, each in methods if not name.startswith("_"))


@for_all(public, lambda thing: thing.__qualname__)
def test_public_names_say_how_they_are_used(thing):
    """By an example; a record of results at least by that of a function that gives it."""
    told = inspect.getdoc(thing) or ""
    assert told
    if inspect.isclass(thing) and issubclass(thing, tuple) and "Examples\n--------\n" not in told:
        giving = [
            inspect.getdoc(other) or "" for other in taking() if inspect.isfunction(other)
            and re.search(rf"\b{thing.__name__}\b", str(other.__annotations__.get("return", "")))
        ]  # fmt: skip
        told = "\n".join(giving)
    assert "Examples\n--------\n" in told


@for_all(taking, lambda thing: thing.__qualname__)
def test_numbers_have_units_and_arrays_have_shapes(thing):
    """Of each float that is taken: its unit in brackets, or a word that says that it has none; of arrays the shape."""
    told = inspect.getdoc(thing) or ""
    for title in ("Parameters", "Returns", "Attributes"):
        body = told.partition(f"\n{title}\n{'-' * len(title)}\n")[2].partition("\n\n")[0]
        for entry in re.split(r"\n(?=\S)", body):
            head = entry.partition("\n")[0]
            kind = head.partition(" : ")[2] or head
            if title == "Parameters" and re.search(r"\bfloats?\b", kind):
                assert PURE.search(entry), f"{head} has no unit"
            if re.search(r"\b(array|ndarray)s?\b", kind):
                assert re.search(r"\([\w., +-]*\)|any shape|as many", entry), f"{head} has no shape"


def test_ratios_in_the_table_of_drums_follow_from_its_times():
    """To the digits that are given: 3.7 µs over 0.24 µs is 15."""
    first, *others = json.loads((tables.RESULTS / "drums.json").read_text())["rows"]
    for row in others:
        for time, ours, ratio in zip(row[2:4], first[2:4], row[4:], strict=True):
            assert f"{float(time) / float(ours):.2g}" == f"{float(ratio):.2g}", row
