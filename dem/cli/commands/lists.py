"""``dem cases`` and ``dem integrators``: list cases and schemes."""

from __future__ import annotations

from contextlib import suppress
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
    if name is None:
        show([("case", "what it is"), *((key, _summary(key)) for key in names())])
    else:
        kind = case(name)
        rows = ((key, _default(field.default), field.description or "") for key, field in kind.model_fields.items())
        show([("parameter", "default", "meaning"), *rows])
        with suppress(ValueError):  # a case may need parameters, by which its observables differ
            if observed := getattr(kind(), "observable_names", ()):
                show([(", ".join(observed),)], title="Observables of a finished run (dem sweep, dem calibrate):")


def _default(value: object) -> str:
    """Default value as text for --set; empty for None."""
    if isinstance(value, tuple | list):
        return ",".join(map(_default, value))
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def _summary(name: str) -> str:
    """First line of a case's docstring, or the error if the case cannot be loaded."""
    try:
        return (case(name).__doc__ or "").strip().partition("\n")[0]
    except ValueError as error:
        return str(error)


@app.command()
@plain_errors
def integrators() -> None:
    """List the rotational integrators."""
    from dem.rotation.integrators import OF_SIMULATIONS  # noqa: PLC0415, cases are listed without

    heads = ("integrator", "order", "torques", "|q| = 1 by", "energy", "momentum", "reference")
    schemes = OF_SIMULATIONS.values()
    rows = ((s.name, str(s.order), str(s.torques), s.norm, s.energy, s.momentum, s.reference) for s in schemes)
    show([heads, *rows])
