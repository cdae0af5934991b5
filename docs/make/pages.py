"""Generated pages: gallery, validation, speed, list of pages, command line, changes."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from markdown import escaped, of_docstring
from shown import OTHER, SHOWN
from topics import TOPICS

import dem

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
DATA = DOCS / "data"
COLUMNS = ("quantity", "published", "exact", "ours", "tolerance")
FIXED = {"index", "glossary"}  # pages in docs/ that are no topics


def gallery(path: Path) -> None:
    """Each case as a command to run, with its picture and its parameters."""
    parts = [
        "# Gallery",
        "All cases of `dem`, each as a run of seconds. `dem cases NAME` lists the parameters of a case, `dem init "
        "NAME` writes it to a file that you can change, and `dem view FILE` shows the result of a command below.",
    ]
    cases = {  # not of other packages that happen to be installed
        name: case for name, case in sorted(dem.cases().items()) if case.__module__.startswith("dem.cases.")
    }
    small = [f"- [![{name}](/pictures/{name}.png)](#{name})\n  [{name}](#{name})" for name in cases if _drawn(name)]
    parts += [":::{container} small-pictures\n" + "\n".join(small) + "\n:::"]
    for name, case in cases.items():
        command = "$ dem " + " ".join(SHOWN.get(name, OTHER).words(name))
        source = case.__module__.replace(".", "/") + ".py"
        parts += [f"## {name}", of_docstring(inspect.getdoc(case) or ""), f"```console\n{command}\n```"]
        if _drawn(name):
            parts.append(f"![{name}](/pictures/{name}.png)")
        parts += [f"Source: `{source}`.", _parameters(case)]
    path.write_text("\n\n".join(parts) + "\n")


def _drawn(name: str) -> bool:
    return (DOCS / "pictures" / f"{name}.png").exists()


def _parameters(case: type) -> str:
    rows = [
        f"| `{key}` | {escaped(str(field.default))} | {escaped(field.description or '')} |"
        for key, field in case.model_fields.items()
    ]
    table = "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows])
    return f"<details><summary>parameters</summary>\n\n{table}\n\n</details>"


def truth(path: Path) -> None:
    """Results of `dem validate` next to published and exact ones."""
    parts = [
        "# Validation",
        "Published, exact and computed results, study by study. `dem validate NAME` repeats a study and draws it. The "
        "tables come from `dem validate --quick`, which takes larger steps, and `python docs/make/measured.py truth` "
        "measures them again.",
    ]
    studies = [json.loads(file.read_text()) for file in sorted((DATA / "validation").glob("*.json"))]
    rows = [
        f"| [{study['name']}](#{study['name']}) | {escaped(study['title'])} | {_passed(study['checks'])} |"
        for study in studies
    ]
    parts.append("\n".join(["| study | subject | checks |", "|---|---|---|", *rows]))
    for study in studies:
        rows = [
            "| " + " | ".join(escaped(str(check[key])) for key in COLUMNS)
            + (" |" if check["passed"] else " (missed) |")
            for check in study["checks"]
        ]  # fmt: skip
        header = ["| quantity | published | exact | computed | tolerance |", "|---|---|---|---|---|"]
        parts += [f"## {study['name']}", f"{escaped(study['title'])}.", "\n".join([*header, *rows])]
    path.write_text("\n\n".join(parts) + "\n")


def _passed(checks: list[dict]) -> str:
    failed = sum(not check["passed"] for check in checks)
    return f"{len(checks)}, " + (f"**{failed} of them missed**" if failed else "all passed")


def speed(path: Path) -> None:
    """Comparisons, costs, and the results of `dem bench` with machine and date; without results, how to get some."""
    parts = [(DOCS / "make" / "speed.md").read_text().rstrip(), *_suites(), "## Results of dem bench"]
    if not (DATA / "speed.json").exists():
        how = "`python docs/make/measured.py speed`, on a machine that does nothing else"
        path.write_text(
            "\n\n".join([*parts, f"There are no results for this version yet: {how}, writes them here."]) + "\n"
        )
        return
    told = json.loads((DATA / "speed.json").read_text())
    machine = ", ".join(f"{key} {value}" for key, value in told["machine"].items() if key != "threads")
    rows = ["| benchmark | figure | unit | threads |", "|---|---|---|---|"]
    for name, figures in told["results"].items():
        unit = next(key for key in figures if key.endswith("_per_second"))
        rows.append(f"| `{name}` | {figures[unit]:.3g} | {unit.replace('_', ' ')} | {figures.get('threads', 1)} |")
    parts.append("Rates are counted in particle steps, frames or collisions; only runs on one machine may be compared.")
    path.write_text("\n\n".join([*parts, "\n".join(rows), f"Measured on {escaped(machine)}; `dem bench`."]) + "\n")


def _suites() -> list[str]:
    """A table of rates and ratios for each file of `dem bench --suite` in docs/data/suite, and times of first runs."""
    parts = []
    for file in sorted((DATA / "suite").glob("*.json")):
        told = json.loads(file.read_text())
        about = (f"{key} {escaped(str(value))}" for key, value in told["machine"].items() if key != "threads")
        rates = [(name, sets, row) for name, each in told["rates"].items() for sets, row in each.items()]
        others = sorted({other for _, _, row in rates for other in row} - {"particles", "pcdm-dem"})
        rows = [
            "| workload | compiled for | particles | pcdm-dem [10⁶ particle steps/s] | "
            + " | ".join(f"over {other}" for other in others) + " |",
            "| --- " * (4 + len(others)) + "|",
        ]  # fmt: skip
        for name, sets, row in rates:
            ratios = (f"{row['pcdm-dem'] / row[other]:.2f}" if other in row else "–" for other in others)
            rows.append(
                f"| `{name}` | {sets} | {row['particles']} | {row['pcdm-dem'] / 1e6:.3g} | {' | '.join(ratios)} |"
            )
        starts = []
        for case, seconds in told["starts"].items():
            starts = starts or ["| command | " + " | ".join(seconds) + " |", "| --- " * (1 + len(seconds)) + "|"]
            starts.append(f"| `dem run {case}` | " + " | ".join(f"{value:.2f} s" for value in seconds.values()) + " |")
        parts += [
            f"## Release table: {file.stem}",
            "Median rates on one core, all programs by turns from the same states, and ratios to them. LAMMPS and YADE "
            "compute chains of five spheres in place of capsules. Workloads with `spins` leave out the orientations of "
            "spheres, which LAMMPS does not compute. `first, processor` is the processor time of a first command on "
            "one core.",
            "\n".join(rows), "\n".join(starts),
            f"Measured on {', '.join(about)}; `dem bench --suite FILE --share {told['share']:g}`.",
        ]  # fmt: skip
    return parts


def how_to(path: Path) -> None:
    """All guides and pages in docs/, each with a line on its subject."""
    there = {f"guide/{page.stem}" for page in (DOCS / "guide").glob("*.md")} - {"guide/start"}
    there |= {page.stem for page in DOCS.glob("*.md")} - FIXED
    told = {name for pages in TOPICS.values() for name in pages}
    groups = TOPICS | ({"More": dict.fromkeys(sorted(there - told), "")} if there - told else {})
    parts = ["# How to", "A page for each task; the last group explains models and shows results."]
    for title, pages in groups.items():
        lines = [
            f"- [{_title(DOCS / (name + '.md'))}](/{name}.md)" + (f": {about}" if about else "")
            for name, about in pages.items()
        ]
        parts += [f"## {title}", "\n".join(lines)]
    rows = "\n".join(f"/{name}" for pages in groups.values() for name in pages)
    path.write_text("\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{rows}\n```"]) + "\n")


def _title(page: Path) -> str:
    return page.read_text().partition("\n")[0].removeprefix("# ")


def command_line(path: Path) -> None:
    """The help text of each command."""
    import re  # noqa: PLC0415

    from typer.testing import CliRunner  # noqa: PLC0415

    from dem.cli.application import COMMANDS, app  # noqa: PLC0415

    parts = [(DOCS / "make" / "command-line.md").read_text().rstrip()]
    for name in COMMANDS:
        said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "110", "TERM": "dumb"}, prog_name="dem").output
        said = re.sub(r"\x1b\[[0-9;]*m", "", said).strip()
        parts += [f"## dem {name}", f"```text\n{said}\n```"]
    path.write_text("\n\n".join(parts) + "\n")


def changes(path: Path) -> None:
    """The change log of the repository."""
    path.write_text((ROOT / "CHANGELOG.md").read_text())


def take_over(fresh: Path, made: Path) -> None:
    """Copy pages to the folder of the site; unchanged ones keep their time, so that Sphinx does not build them."""
    wanted = {page.relative_to(fresh) for page in fresh.rglob("*.md")}
    for page in made.rglob("*.md"):
        if page.relative_to(made) not in wanted:
            page.unlink()
    for name in wanted:
        text, target = (fresh / name).read_text(), made / name
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
