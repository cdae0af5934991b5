"""``dem validate``: compare with published and exact results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dem import validation
from dem.base.replace import folder_for
from dem.base.text import counted
from dem.cli.application import app, bar, plain_errors, say
from dem.cli.completion import studies


@app.command()
@plain_errors
def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME ...]", autocompletion=studies, help="Studies; default: all but the long ones."),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="New or empty folder.")] = Path("validation"),
    quick: Annotated[bool, typer.Option("--quick", help="Smaller studies: most take less than a minute.")] = False,
) -> None:
    """Reproduce published tables and figures, next to exact values."""
    chosen = {name: validation.study(name) for name in names or validation.STUDIES}
    validation.check_folder(output)
    reports = []
    with folder_for(output), bar() as shown:
        for _, study in shown.each("validating", chosen, how="quick" if quick else ""):
            reports.append(study(quick=quick))
            reports[-1].write(output)
        validation.write_index(output, reports)
    for report in reports:
        failed = [check.quantity for check in report.checks if not check.passed]
        verdict = "FAIL: " + "; ".join(failed) if failed else f"PASS, {counted(len(report.checks), 'check')}"
        say(f"{output / report.name}.md  {verdict}")
    if not all(report.passed for report in reports):
        raise typer.Exit(1)
