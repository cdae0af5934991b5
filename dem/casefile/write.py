"""Write commented case files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, get_origin

from dem.case import StudyCase
from dem.casefile import case_content
from dem.casefile.load import METHODS
from dem.casefile.schema.case_tables import CaseKeys, HardTable, OutputTable, SteppedTable, StochasticTable
from dem.casefile.schema.key_types import Table, meaning, table_in, without_none

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from dem.case import AnyCase

BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes
HEAD = (
    '# SI units; strings with a unit do as well: "10 mm", "50 MPa", "60 deg", "60 rpm".',
    "# What stands behind # is not set: it shows the default, or an example where there is none.",
)
ONLY_STEPPED = [key for key in SteppedTable.model_fields if key not in CaseKeys.model_fields]
BLANK = {
    "duration": 1.0,
    "time_step": "auto",
    "materials": {"glass": {"young": 5e7, "poisson": 0.22, "density": 2500.0}},
    "shapes": {"bead": {"type": "sphere", "diameter": 0.01}},
    "particles": [{"shape": "bead", "material": "glass", "position": [[0.05, 0.05, 0.05]]}],
    "box": {"upper": [0.1, 0.1, 0.1], "material": "glass"},
}


def example(case: AnyCase) -> str:
    """Case file with a comment on each key; a run of it has the same bytes as a run of the case.

    Few particles are written out with their shapes, materials and walls; for many, and for cases whose outcome is a
    table, the file names the case and its parameters.

    Examples
    --------
    >>> import dem
    >>> print(example(dem.cases()["torque-sphere"](duration=2.0)))
    # A sphere is spun up by a torque A exp(t) about y (Zhao & van Wachem 2013, test 3; Seelen et al. 2016, 3.2).
    # SI units; strings with a unit do as well: "10 mm", "50 MPa", "60 deg", "60 rpm".
    # What stands behind # is not set: it shows the default, or an example where there is none.
    <BLANKLINE>
    case = "torque-sphere"
    <BLANKLINE>
    [parameters]
    duration = 2.0  # simulated time [s]
    # frames = 200  # least number of rows after the first; the last row is the end
    # time_step = 0.0001  # time step [s]
    # integrator = "improved-pcdm"  # rotational scheme
    <BLANKLINE>
    [output]
    # file = "run.h5"  # file to write; default: a free name
    <BLANKLINE>
    """
    summary = (type(case).__doc__ or case.name).strip().partition("\n")[0]
    content = case_content.content(case)
    if content is None:
        lines = [f"# {summary}", *HEAD, "", *_by_name(case)]
    else:
        lines = [f"# {summary}", *HEAD, "", *_table(METHODS[content["method"]], content, "", set())]
    return "\n".join(lines) + "\n"


def blank() -> str:
    """Case file to start from, for any method: one sphere in a box, and every key with a comment."""
    seen: set = set()
    lines = ["# A case file to begin with: change what it says, and take away the # from what is wanted.", *HEAD, ""]
    lines += _table(SteppedTable, BLANK, "", seen)
    lines += ["", f"# With method = {_value('hard-spheres')} and without {', '.join(ONLY_STEPPED)}:"]
    lines += _absent(HardTable.model_fields["impacts"], "impacts", seen)
    lines += ["", f"# With method = {_value('stochastic')} impacts as well, time_step, and:"]
    for key in ("collisions", "cell", "correlation", "seed"):
        lines.append(_entry(key, StochasticTable.model_fields[key], None))
    for key in ("turbulence", "pressure"):
        lines += ["", *_absent(StochasticTable.model_fields[key], key, seen)]
    return "\n".join(lines) + "\n"


def _by_name(case: AnyCase) -> list[str]:
    """Lines that give a case by its name; parameters at their defaults are commented out."""
    lines = [f"case = {_value(case.name)}", "", "[parameters]"]
    for key, field in type(case).model_fields.items():
        value, about = getattr(case, key), field.description
        given = "" if value != field.default else "# "
        lines.append(f"# {key}: {about}" if value is None else f"{given}{key} = {_value(value)}  # {about}")
    output = ["file"] if isinstance(case, StudyCase) else OutputTable.model_fields.keys() - {"frames"}
    entries = [_entry(key, field, None) for key, field in OutputTable.model_fields.items() if key in output]
    return [*lines, "", "[output]", *entries]


def _table(model: type[Table], content: dict, path: str, seen: set) -> list[str]:
    """Lines of a table: its plain keys, then its nested tables; only the first table of a type has all comments."""
    first = model not in seen
    seen.add(model)
    plain, tables = [], []
    for key, field in model.model_fields.items():
        value, inner = content.get(key), table_in(field.annotation)
        where = f"{path}{key}"
        if inner is None and (first or value is not None):
            plain.append(_entry(key, field, value, commented=first))
        elif inner is not None and not value and first:
            tables += ["", *_absent(field, where, seen)]
        for header, deeper, each in _parts(field, where, value) if inner is not None and value else ():
            tables += ["", header, *_table(inner, each, f"{deeper}.", seen)]
    return plain + tables


def _parts(field: FieldInfo, where: str, value: dict | list) -> list[tuple[str, str, dict]]:
    """Headings, paths and contents of a table, or of each table in a list or mapping."""
    if isinstance(value, list):
        return [(f"[[{where}]]", where, each) for each in value]
    if get_origin(without_none(field.annotation)) is dict:
        named = {f"{where}.{name if BARE.fullmatch(name) else json.dumps(name)}": each for name, each in value.items()}
        return [(f"[{name}]", name, each) for name, each in named.items()]
    return [(f"[{where}]", where, value)]


def _absent(field: FieldInfo, where: str, seen: set) -> list[str]:
    """Lines of a table that the case does not have, all commented out."""
    inner, kind = table_in(field.annotation), get_origin(without_none(field.annotation))
    again = field.examples[0] if inner in seen and field.examples else {}
    shown = [{}] if kind is list else {field.examples[0]: {}} if kind is dict else again
    ((header, deeper, content),) = _parts(field, where, shown)
    lines = _table(inner, content, f"{deeper}.", seen)
    return [
        f"# {header}  # {meaning(field)}",
        *(line if line.startswith("#") or not line else f"# {line}" for line in lines),
    ]


def _entry(key: str, field: FieldInfo, value: object, *, commented: bool = True) -> str:
    """Line of a key with its value, meaning and limits; without a value a comment with the default or an example."""
    about = f"  # {meaning(field)}" if commented else ""
    if value is None:
        return f"# {key} = {_value(_shown(field))}{about}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = "".join(f"    {_value(row)},\n" for row in value)
        return f"{key} = [{about}\n{rows}]"
    return f"{key} = {_value(value)}{about}"


def _shown(field: FieldInfo) -> object:
    """Default of a key, or an example if it has none."""
    default = None if field.is_required() else field.default
    return field.examples[0] if default in (None, [], ()) else default


def _value(value: object) -> str:
    """A value in TOML; floats are written such that reading them gives the same bits."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
