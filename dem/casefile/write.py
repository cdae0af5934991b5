"""Commented case files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, get_origin

from dem.casefile import resolve
from dem.casefile.load import METHODS
from dem.casefile.schema import OutputTable, Table, table_in, without_none

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from dem.case import BaseCase

BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes


def example(case: BaseCase) -> str:
    """A case file, with a comment on each key, that runs to the same bytes as the case.

    Few particles are written out with their shapes, materials and walls; for many, and for cases whose outcome is a
    table, the file names the case and its parameters.

    Examples
    --------
    >>> import dem
    >>> print(example(dem.cases()["torque-sphere"](duration=2.0)))
    # A sphere is spun up by a torque A exp(t) about y (Zhao & van Wachem 2013, test 3; Seelen et al. 2016, 3.2).
    # SI units.
    <BLANKLINE>
    case = "torque-sphere"
    <BLANKLINE>
    [parameters]
    duration = 2.0  # simulated time [s]
    # frames = 200  # rows after the first, or a few more: the last one is the end
    # time_step = 0.0001  # [s]
    # integrator = "improved-pcdm"  # rotational scheme
    <BLANKLINE>
    [output]
    # file: trajectory to write; default: a free name
    <BLANKLINE>
    """
    summary = (type(case).__doc__ or case.name).strip().partition("\n")[0]
    content = resolve.content(case)
    if content is None:
        lines = [f"# {summary}", *_by_name(case)]
    else:
        strings = '# SI units; strings with a unit do as well: "10 mm", "50 MPa", "60 deg", "60 rpm".'
        lines = [f"# {summary}", strings, "", *_table(METHODS[content["method"]], content, "", set())]
    return "\n".join(lines) + "\n"


def _by_name(case: BaseCase) -> list[str]:
    """Lines that name a case; parameters at their defaults are comments."""
    lines = ["# SI units.", "", f"case = {_value(case.name)}", "", "[parameters]"]
    for key, field in type(case).model_fields.items():
        value = getattr(case, key)
        lines.append(_entry(key, field, None if value == field.default else value))
    return [*lines, "", "[output]", _entry("file", OutputTable.model_fields["file"], None)]


def _table(model: type[Table], content: dict, path: str, seen: set) -> list[str]:
    """Lines of a table: its plain keys, then the tables in it; each kind of table is commented on once."""
    first = model not in seen
    seen.add(model)
    plain, tables = [], []
    for key, field in model.model_fields.items():
        value, inner = content.get(key), table_in(field.annotation)
        if inner is None or not value:
            if first or value is not None:
                plain.append(_entry(key, field, value, commented=first))
            continue
        where = f"{path}{key}"
        if isinstance(value, list):
            parts = [(f"[[{where}]]", where, each) for each in value]
        elif get_origin(without_none(field.annotation)) is dict:
            names = [f"{where}.{name if BARE.fullmatch(name) else json.dumps(name)}" for name in value]
            parts = [(f"[{name}]", name, each) for name, each in zip(names, value.values(), strict=True)]
        else:
            parts = [(f"[{where}]", where, value)]
        for header, deeper, each in parts:
            tables += ["", header, *_table(inner, each, f"{deeper}.", seen)]
    return plain + tables


def _entry(key: str, field: FieldInfo, value: object, *, commented: bool = True) -> str:
    """A key with its value and what it means; without a value a comment that shows the default."""
    about = f"  # {field.description}" if commented and field.description else ""
    if value is None and (field.is_required() or field.default is None):
        return f"# {key}: {field.description}"
    if value is None or table_in(field.annotation):
        return f"# {key} = {_value(field.default)}{about}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = "".join(f"    {_value(row)},\n" for row in value)
        return f"{key} = [{about}\n{rows}]"
    return f"{key} = {_value(value)}{about}"


def _value(value: object) -> str:
    """A value in TOML; floats as Python writes them, which gives them back to the bit."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each) for each in value)}]"
    if isinstance(value, dict):
        return "{}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
