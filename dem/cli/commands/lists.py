"""What there is to choose from: cases and integrators."""

from __future__ import annotations

from typing import Annotated

import typer

from dem.case import case, names
from dem.cli.application import app, plain_errors, show
from dem.cli.completion import case_names


@app.command("cases")
@plain_errors
def list_cases(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[CASE]", autocompletion=case_names, help="Show the parameters of this case."),
    ] = None,
) -> None:
    """List the cases, or the parameters of one."""
    from rich.table import Table  # noqa: PLC0415

    if name is None:
        table = Table("case", "what it is", box=None, pad_edge=False)
        for key in names():
            table.add_row(key, _summary(key))
    else:
        table = Table("parameter", "default", "meaning", box=None, pad_edge=False)
        for key, field in case(name).model_fields.items():
            table.add_row(key, _default(field.default), field.description)
    show(table)


def _default(value: object) -> str:
    """Default value as text for --set; empty for None."""
    if isinstance(value, tuple | list):
        return ",".join(map(_default, value))
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def _summary(name: str) -> str:
    """First line of a case's docstring; one that cannot be loaded does not hide the others."""
    try:
        return (case(name).__doc__ or "").strip().partition("\n")[0]
    except ValueError as error:
        return str(error)


@app.command()
@plain_errors
def integrators() -> None:
    """List the rotational integrators."""
    from rich.table import Table  # noqa: PLC0415

    from dem.rotation.integrators import INTEGRATORS  # noqa: PLC0415, cases are listed without

    table = Table(
        "integrator", "order", "torques", "|q| = 1 by", "energy", "momentum", "reference", box=None, pad_edge=False
    )
    for row in INTEGRATORS.values():
        table.add_row(row.name, str(row.order), str(row.torques), row.norm, row.energy, row.momentum, row.reference)
    show(table)
