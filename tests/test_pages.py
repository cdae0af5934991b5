"""Every block of code and every command on every page runs; links lead somewhere."""

import re
import sys
from pathlib import Path

import pages
import pytest
from dem.kernels.laws import interface

import dem

ROOT = pages.ROOT
sys.path.append(str(ROOT / "docs" / "make"))
from shown import OTHER, SHOWN  # noqa: E402

MAPS = [path for house in ("kernels", "dem", "cases") for path in sorted((ROOT / house).rglob("README.md"))]
WRITTEN = [*pages.PAGES, *MAPS, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
CODE = [page for page in pages.PAGES if pages.blocks(page)]
CASES = [name for name, case in dem.cases().items() if case.__module__.startswith("dem.cases.")]

ADDRESS = re.compile(  # of pages elsewhere: a host with dots, no mark of a sentence at the end; papers by their numbers
    r"https://(?:doi\.org/10\.\d{4,9}/[\w.()/-]*\w|(?!doi\.org)[\w-]+(?:\.[\w-]+)+(?:/[^\s<>]*[^\s<>.,;:])?)"
)


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.filterwarnings("default::dem.DemWarning")
@pytest.mark.parametrize("page", CODE, ids=name_of)
def test_a_page_can_be_followed_to_its_end(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages.follow(page, commands=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_command_of_the_gallery_ends_well(name, tmp_path, monkeypatch):
    """Without a warning, and with a verdict that has no doubts."""
    monkeypatch.chdir(tmp_path)
    said = pages.command("dem " + " ".join(SHOWN.get(name, OTHER).words(name)))
    assert "warning [" not in said
    assert "WARN" not in said


def anchors(page):
    """What headings of a page are called in addresses."""
    heads = re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def without_code(page):
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_links_lead_somewhere(page):
    """To pages that are made from the repository as well: those are named after what they are made from."""
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        if re.match(r"https?:|mailto:", link):
            assert ADDRESS.fullmatch(link), f"{name_of(page)}: {link}"
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / "docs" / path[1:]) if path.startswith("/") else (page.parent / path) if path else page
        if "made" in Path(path).parts:
            continue
        target = target if target.exists() else target.with_suffix(".md")
        assert target.exists(), f"{name_of(page)}: {link}"
        assert not anchor or anchor in anchors(target), f"{name_of(page)}: {link}"


def test_every_source_that_is_named_by_number_is_named_alike():
    """Numbers of papers are those of the list of references, also in what tells how to cite."""
    listed = set(re.findall(r"doi\.org/(10\.\d{4,}/[^)\s]+)", (ROOT / "docs/reference/references.md").read_text()))
    cited = set(re.findall(r"doi: (10\.\d{4,}/\S+)", (ROOT / "CITATION.cff").read_text()))
    assert cited
    assert cited <= listed


NAME = r"(?:van |van der |de |Di )?[A-ZÖ][\w'-]+"
PAPER = re.compile(rf"[(;] ?({NAME})(?:, {NAME})*(?: & (?:Bui )?{NAME}| et al\.)?,? (\d{{4}})[);,]")
AUTHORS = re.compile(rf"({NAME})(?: et al\.|(?:, {NAME})* & (?:Bui )?{NAME}) \(?(\d{{4}})\b")


def test_every_source_that_is_named_by_author_and_year_is_in_the_list():
    entries = (ROOT / "docs/reference/references.md").read_text().replace("\n  ", " ").splitlines()
    code = [path for room in ("dem", "kernels", "cases") for path in sorted((ROOT / room).rglob("*.py"))]
    cited = {}
    for path in [*code, *WRITTEN]:
        text = re.sub(r"\"\n *f?\"", "", path.read_text())
        text = re.sub(r"\n *(?:# )?", " ", text)
        cited |= dict.fromkeys(PAPER.findall(text) + AUTHORS.findall(text), path)
    assert len(cited) > 60
    missing = {
        (author, year): str(path)
        for (author, year), path in cited.items()
        if not any(author in entry and f"({year})" in entry for entry in entries)
    }
    assert missing == {}


def test_every_case_has_a_picture():
    pictures = {path.stem for path in (ROOT / "docs" / "pictures").glob("*.png")}
    assert set(CASES) - pictures == set(), "draw it: python docs/make/pictures.py CASE"
    assert set(SHOWN) <= set(dem.cases())


def test_every_warning_is_explained():
    """The page on warnings has a row for each name."""
    page = (ROOT / "docs" / "guide" / "warnings.md").read_text()
    rooms = sorted((ROOT / "dem").rglob("*.py"))
    names = {name for path in rooms for name in re.findall(r"Notice\(\s*\"([a-z-]+)\"", path.read_text())}
    assert len(names) > 20
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_what_a_contact_law_is_given_is_explained():
    """Fields of kinematics, results and registrations that the page on own laws names are there."""
    page = (ROOT / "docs" / "guide" / "own.md").read_text()
    assert (named := set(re.findall(r"`contact\.(\w+)`", page))) <= set(interface.ContactKinematics._fields)
    assert len(named) > 8
    component = {"history", *interface.LawComponent._fields} - {"formula", "initial_history", "load", "store", "width"}
    for title, fields in (
        ("field of `AdhesionForce`", set(interface.AdhesionForce._fields)), ("argument of `law_component`", component)
    ):  # fmt: skip
        rows = page.partition(f"| {title} | meaning |\n")[2].partition("\n\n")[0]
        named = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in rows.splitlines()))
        assert set(named) == fields, title


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_files_that_a_page_names_are_there(page):
    """In rows of tables also the functions that are named beside a file."""
    for name in re.findall(r"`((?:kernels|dem|cases|tests|benchmarks|docs)/[\w./-]+\.py)`", page.read_text()):
        assert (ROOT / name).exists(), f"{name_of(page)}: {name}"
    for files, functions in re.findall(
        r"^\| ((?:`[\w/]+\.py`,? ?)+)\| ((?:`\w+`,? ?)+)\|", page.read_text(), re.MULTILINE
    ):
        code = "".join((ROOT / name).read_text() for name in re.findall(r"`([^`]+)`", files))
        for name in re.findall(r"`(\w+)`", functions):
            assert re.search(rf"^ *def {name}\(|^{name} = ", code, re.MULTILINE), f"{name_of(page)}: {name} of {files}"


def test_every_command_is_shown_what_it_takes():
    """The page of commands is made from their own help; the README names each."""
    from dem.cli.application import COMMANDS  # noqa: PLC0415

    text = (ROOT / "README.md").read_text()
    listed = text[text.index("## From the command line") : text.index("## What it can do")]
    assert {name for name in COMMANDS if not re.search(rf"\b{name}\b", listed)} == set()
