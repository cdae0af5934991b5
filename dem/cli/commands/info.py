"""``dem info``: show the content of a trajectory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dem.base.text import counted
from dem.cli.application import app, plain_errors, say, show
from dem.files.reading.trajectory import Trajectory
from dem.model.domain.box import FACES
from dem.model.particles.kinds import MAX_KINDS_LISTED, further_kinds_note, labels

if TYPE_CHECKING:
    from collections.abc import Iterable

OF_A_CELL = {
    "edges": "m",
    "rate": "1/s",
    "rate_changes": "s, 1/s",
    "stress": "Pa",
    "gain": "1/(Pa s)",
    "fastest": "1/s",
    "mass": "kg",
    "damping": "kg/s",
}
OF_PACKAGES = "scalars", "parameters"  # tables with values of other packages, whose units are unknown
UNITS = {
    **dict.fromkeys(
        ("lower", "upper", "diameter", "spacing", "offsets", "radii", "amplitude", "point", "centre", "radius"), "m"
    ),
    **dict.fromkeys(("length", "semi_axes", "vertices", "rounding", "contact_radius", "gas_jump", "gas_range"), "m"),
    "equal_volume_diameter": "m",
    **dict.fromkeys(("temperature", *FACES), "K"),  # a number of a face is the temperature of heat
    **dict.fromkeys(("conductivity", "gas_conductivity"), "W/(m K)"),
    "expansion": "1/K",
    "heat_flux": "W/m2",
    "real_young": "Pa",
    **dict.fromkeys(("time_step", "duration", "contact_time", "wall_time"), "s"),
    **dict.fromkeys(("roughness", "phase"), "rad"),
    "mass_rate": "kg/s",
    **dict.fromkeys(("present_from", "present_until"), "s"),
    "surface_velocity": "m/s",
    "angular_velocity": "rad/s",
    "wear": "1/Pa",
    "density": "kg/m3",
    "frequency": "Hz",
    "mass": "kg",
    "gravity": "m/s2",
    "velocity": "m/s",
    "young": "Pa",
}
NOT_OF_CASES = "length", "amplitude", "gas_range", "spacing"  # which some cases have as multiples of a diameter
IN_WORDS = {  # what a row is called that files name by a word of the code
    "format": "file format",
    "plan": "frames planned",
    "started": "started at",
    "wall_time": "computing time",
}
MAX_SHOWN = 12  # numbers of an array
PREFIXES = ("B", "kB", "MB", "GB", "TB")


@app.command()
@plain_errors
def info(
    file: Annotated[Path, typer.Argument(help="A trajectory, finished or still being written.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, for programs.")] = False,
) -> None:
    """Show what a trajectory holds: particles, box, contacts, input, provenance, energies, verdict, data sets."""
    with Trajectory(file) as run:
        summary = run.summary()
    if as_json:
        say(json.dumps(summary, indent=1))
        return
    for title, rows in _sections(summary):
        if rows:
            show(rows, title)


def _sections(summary: dict) -> Iterable[tuple[str, list]]:
    given = dict(summary["input"])
    beside = given.pop("walls", [])
    names = _names_of_materials([*summary["kinds"], *beside], given.get("box"))
    box, contacts = given.pop("box", None), given.pop("contacts", None)
    del given["kinds"]
    parameters, file = given.pop("parameters", {}), given.pop("case_file", None) or {}
    yield "", _head(summary)
    yield "particles", list(_kinds(summary["kinds"], names))
    yield "materials", [(name, _words(json.loads(material), leave="name")) for material, name in names.items()]
    if box and "edges" in box:  # of a cell that deforms
        box = {f"{key} [{unit}]": box[key] for key, unit in OF_A_CELL.items()}
    walls = [(key, _value(key, value, names)) for key, value in (box or {}).items() if _is_worth_a_line(value)]
    yield "box", walls or [("none" if beside else "no walls",)]
    yield "walls", [_wall(wall, names) for wall in beside]
    if isinstance(contacts, list):
        yield "contacts", [_contact(contact, names) for contact in contacts]
    elif contacts:
        yield "contacts", _rows(contacts)
    yield "input", _rows({key: value for key, value in given.items() if key != "particles"})
    yield (
        f"parameters of {given.get('case', 'the case')}",
        _rows(parameters, {key: unit for key, unit in UNITS.items() if key not in NOT_OF_CASES}),
    )
    yield "case file", _rows({key: value for key, value in file.items() if _is_worth_a_line(value)})
    yield "provenance", list(_provenance(summary["provenance"]))
    yield "energy", [("", "first", "last"), *(_energy(*each) for each in summary["energy"].items())]
    yield "data", [("", "shape", "type", "unit", "chunk", "bytes in file", ""), *map(_dataset, summary["datasets"])]
    yield "groups", [(name, _size(group["bytes"]), group["meaning"]) for name, group in summary["groups"].items()]


def _head(summary: dict) -> list[tuple[str, str]]:
    time = summary["time"]
    when = f", {time[0]:.6g} to {time[1]:.6g} s, step {summary['step'][1]}" if time else ""
    unfinished = "none: the run " + ("broke" if summary["error"] else "is going on, or did not come to its end")
    rows = [
        ("file", f"{summary['file']}, {_size(summary['bytes'])}"),
        ("frames", f"{summary['frames']}{when}"),
        ("particles", f"{summary['particles']}: {', '.join(summary['fields'])}"),
        ("verdict", summary["verdict"] or unfinished),
    ]
    return rows + ([("error", summary["error"])] if summary["error"] else [])


def _kinds(kinds: list[dict], names: dict[str, str]) -> Iterable[tuple[str, str]]:
    """A row for each kind of particles, up to a largest number of rows."""
    for label, kind in zip(labels(kind["name"] for kind in kinds[:MAX_KINDS_LISTED]), kinds, strict=False):
        material = names[_text(kind["material"])]
        sizes = [_words(kind["sizes"])] if kind["sizes"] else []
        mass = [_words({"mass": _one_or_ends(kind["mass"])})] if kind["mass"] else []
        what = ", ".join([kind["shape"], *sizes, f"material {material.removeprefix('material ')}", *mass])
        yield f"{kind['particles']} x {label}", what
    if len(kinds) > MAX_KINDS_LISTED:
        yield "", further_kinds_note(len(kinds)).strip()


def _one_or_ends(mass: dict) -> float | dict:
    return mass["least"] if mass["least"] == mass["most"] else mass


def _names_of_materials(kinds: list[dict], box: dict | None) -> dict[str, str]:
    """Name or number of each material of particles and walls, by its JSON."""
    texts = dict.fromkeys(_text(thing["material"]) for thing in [*kinds, *([box] if box and box["material"] else [])])
    names = (json.loads(text)["name"] or f"material {number}" for number, text in enumerate(texts, start=1))
    return dict(zip(texts, names, strict=True))


def _text(material: dict) -> str:
    """A material as JSON; those of old files have no names."""
    return json.dumps({**material, "name": material.get("name", "")})


def _contact(contact: dict, names: dict[str, str]) -> tuple[str, str]:
    values = {key: value for key, value in contact.items() if key != "materials"}
    one, other = (names.get(_text(m), _words(m)) for m in contact["materials"])
    return f"{one}, {other.removeprefix('material ')}", _words(values)


def _wall(wall: dict, names: dict[str, str]) -> tuple[str, str]:
    """Name and shape of a wall."""
    said = {key: value for key, value in wall.items() if key not in ("name", "type", "motion")}
    motion = "; ".join(_words(each) for each in wall.get("motion", []))
    return wall["name"], f"{wall['type']}, {_words(said, names)}" + (f", motion: {motion}" if motion else "")


def _rows(values: dict, units: dict[str, str] = UNITS) -> list[tuple[str, str]]:
    return [(key, _value(key, value, units=units)) for key, value in values.items()]


def _provenance(values: dict) -> Iterable[tuple[str, str]]:
    """A row for each thing on which the bytes of a run may depend."""
    for key, value in values.items():
        label = IN_WORDS.get(key, key)
        if key == "plan" and (plan := _plan(value)):
            yield label, plan
        else:
            yield label, _value(key, value) + (" (changes with the code of the kernels)" if key == "kernels" else "")


def _plan(stretches: object) -> str:
    """Planned frames of each stretch of a run, by start and length in steps, or in seconds for hard spheres.

    Empty if they are not numbers, as in a damaged file.
    """
    try:
        return "; ".join(
            f"{counted(frames, 'frame')} evenly spaced after "
            + (f"step {first}, up to {first + length}" if isinstance(length, int)
               else f"{first:g} s, up to {first + length:g} s")
            for first, length, frames in stretches
        )  # fmt: skip
    except (TypeError, ValueError):
        return ""


def _words(values: dict, names: dict[str, str] | None = None, leave: str = "", units: dict[str, str] = UNITS) -> str:
    """A mapping in one line, without one of its keys."""
    shown = {key: value for key, value in values.items() if key != leave and _is_worth_a_line(value)}
    rows = (
        f"{key} {_inner(_value(key, value, names, units), value)}{_unit_beside(key, values) if units else ''}"
        for key, value in shown.items()
    )
    return ", ".join(word.replace("material material", "material") for word in rows)


def _unit_beside(key: str, values: dict) -> str:
    """Unit of a rate or heat capacity by the other keys of its table: a motion has an axis, a wall no conductivity."""
    if key == "rate":
        return " rad/s" if "axis" in values else " 1/s" if {"region", "gradient"} & values.keys() else ""
    if key != "heat_capacity":
        return ""
    unit = " J/(kg K)" if "conductivity" in values else " J/K"
    return f"{' K,' if isinstance(values[key], list) else ''}{unit}"


def _value(key: str, value: object, names: dict[str, str] | None = None, units: dict[str, str] = UNITS) -> str:
    """A value formatted for reading, with its unit if the key has one."""
    units = {} if key in OF_PACKAGES else units
    unit = f" {units[key]}" if key in units and not isinstance(value, str) else ""
    if unit and key == "conductivity" and isinstance(value, list):
        unit = f" K,{unit}"  # rows of a temperature and the value there
    if isinstance(value, dict) and "least" in value:
        more = f" (mean {value['mean']:.6g}, {value['different']} different)" if "mean" in value else ""
        return f"{value['least']:.6g} to {value['most']:.6g}{unit}{more}"
    if isinstance(value, dict):
        return _cell(value) if key == "cell" else (names or {}).get(_text(value)) or _words(value, units=units)
    if isinstance(value, list):
        if any(isinstance(each, dict) for each in value):
            return "; ".join(_value("", each, units=units) for each in value)
        shown = [_value("", each) for each in value[:MAX_SHOWN]]
        more = f", ... {len(value)} in all" if len(value) > MAX_SHOWN else ""
        return f"({', '.join(shown)}{more}){unit}"
    if value is None:
        return "none"
    return f"{value:.12g}{unit}" if isinstance(value, float) else f"{value}{unit}"


def _cell(table: dict) -> str:
    """The cell of a case file in one line; the units of its rates differ from those of other tables."""
    shown = ((name, each) for name, each in table.items() if _is_worth_a_line(each))
    return ", ".join(f"{name} {_value('', each)} {OF_A_CELL.get(name, '')}".strip() for name, each in shown)


def _inner(text: str, value: object) -> str:
    """A value within a line: tables and lists of tables in brackets, unless they are written as one word."""
    tables = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    several = any(isinstance(each, dict) and "least" not in each for each in tables)
    return f"({text})" if several and " " in text else text


def _is_worth_a_line(value: object) -> bool:
    """Whether a value is shown: an empty list of open faces, or no motion, is not."""
    return value not in ([], {}, None)


def _energy(name: str, values: dict) -> tuple[str, str, str]:
    return name, f"{values['first']:.6g} {values['unit']}", f"{values['last']:.6g} {values['unit']}"


def _dataset(dataset: dict) -> tuple[str, ...]:
    shape, chunks = (" x ".join(map(str, dataset[key] or [])) for key in ("shape", "chunks"))
    stored = f"{_size(dataset['bytes'])}{', ' + dataset['compression'] if dataset['compression'] else ''}"
    words = _words(dataset["attributes"])
    return dataset["name"], shape, dataset["dtype"], dataset["unit"] or "", chunks, stored, words


def _size(number: float) -> str:
    """Size in bytes, kB, MB or GB."""
    power = 0
    while number >= 1000 and power < len(PREFIXES) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.3g} {PREFIXES[power]}"
