"""Pages of the public interface: every name of `dem`, `dem.statistics` and `dem.plots`, from its docstring."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from markdown import fenced, inline, of_docstring

import dem

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = {
    "Simulations": ("dem.soft", "dem.event_driven", "dem.dsmc"),
    "Particles, shapes and sizes": (
        "dem.model.particles.particles", "dem.model.shapes.shape", "dem.model.shapes.clump", "dem.model.size",
        "dem.model.particles.sizes",
        "dem.model.particles.packing", "dem.model.particles.random_insertion", "dem.model.particles.dense_packing",
        "dem.model.shapes.capsule", "dem.model.bonds",
    ),
    "Materials and contacts": (
        "dem.model.materials", "dem.model.contact", "dem.model.contact.law_parts", "dem.model.contact.law_parts",
        "dem.model.contact.law_registry",
        "dem.model.contact.law_parts", "dem.model.energy", "dem.model.contact.lubrication",
    ),
    "Boxes, walls and meshes": (
        "dem.model.domain.box", "dem.model.walls.wall", "dem.model.walls.mesh", "dem.model.walls.motion",
        "dem.model.walls.servo",
        "dem.model.domain.roughness",
    ),
    "Fluids and turbulence": ("dem.model", "dem.run.precice"),
    "Cases, files and sweeps": (
        "dem.calibration", "dem.case", "dem.casefile", "dem.files", "dem.run", "dem.sweeps", "dem.viewer"
    ),
    "Rotation of one body": ("dem.rotation",),
    "Others": ("dem",),
}  # fmt: skip


def public() -> dict[str, list[str]]:
    """Public names of `dem` by group."""
    found: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name in sorted(set(dem.__all__) - {"plots", "statistics"}, key=str.lower):
        home = dem.HOMES[name]
        found[next(t for t, starts in GROUPS.items() if home.startswith(starts))].append(name)
    return {title: names for title, names in found.items() if names}


def known() -> dict[str, str]:
    """All names that have a place on these pages, and what it is called: there case does not count."""
    rooms = {"dem.statistics": dem.statistics, "dem.plots": dem.plots}
    names = {f"dem.{name}" for name in dem.__all__} - rooms.keys()
    names |= {f"{home}.{name}" for home, room in rooms.items() for name in room.__all__}
    lower = [name.lower() for name in names]
    return {
        name: name + "-type" * (lower.count(name.lower()) > 1 and name[name.rindex(".") + 1].isupper())
        for name in names
    }


def write(folder: Path) -> None:
    """Write a page for each group, and one that lists them and what is on them."""
    folder.mkdir(parents=True, exist_ok=True)
    there = known()
    groups = [(title, "", {f"dem.{name}": getattr(dem, name) for name in names}) for title, names in public().items()]
    for title, room in (("Statistics", dem.statistics), ("Pictures", dem.plots)):
        things = {f"{room.__name__}.{name}": getattr(room, name) for name in room.__all__}
        groups.append((title, of_docstring(room.__doc__, there), things))
    parts, rows = ["# API", "All public names, with their docstrings. Names that are not listed here may change."], []
    for title, said, things in groups:
        name = title.lower().replace(",", "").replace(" ", "-")
        text = "\n\n".join([f"# {title}", said, *(_entry(full, thing, there) for full, thing in things.items())])
        (folder / f"{name}.md").write_text(text + "\n")
        listed = "\n".join(f"- [`{full}`](#{there[full]}){_summary(thing)}" for full, thing in things.items())
        parts += [f"## {title}", listed]
        rows.append(name)
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(rows) + "\n```")
    (folder / "index.md").write_text("\n\n".join(parts) + "\n")


def _summary(thing: object) -> str:
    """The first sentence of what is said of it, if it says anything of itself."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return ""
    return ": " + inline(" ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split()))


def _entry(full: str, thing: object, there: dict[str, str]) -> str:
    """One public name: signature, docstring, and of a class its public members."""
    parts = [f"({there[full]})=\n## `{full}`"]
    if inspect.isclass(thing) or inspect.isfunction(thing):
        parts.append(fenced([_signature(full, thing)], "python"))
        parts.append(of_docstring(inspect.getdoc(thing) or "", there))
    else:
        parts.append(_of_value(full, thing))
    if inspect.isclass(thing):
        parts += [_member(full, name, member, there) for name, member in _members(thing)]
    return "\n\n".join(parts)


def _of_value(full: str, thing: object) -> str:
    if isinstance(thing, dict):
        return f"A mapping of {len(thing)} names: " + ", ".join(f"`{key}`" for key in thing) + "."
    return f"A type for fields of cases, see [`dem.Case`](#dem.Case): `{full}`."


class Plain(str):
    """An annotation that is shown as it was written."""

    __slots__ = ()

    __repr__ = str.__str__


def _signature(name: str, thing: object) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    written = _written(thing)  # of fields, whose types hold the addresses of validators when they are resolved
    parameters = [
        each.replace(annotation=_plain(written.get(each.name, each.annotation)))
        for each in signature.parameters.values()
    ]
    signature = signature.replace(parameters=parameters, return_annotation=_plain(signature.return_annotation))
    if len(f"{name}{signature}") < 110:
        return f"{name}{signature}"
    kinds, lines = [each.kind for each in parameters], [str(each) for each in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        lines.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    listed = ",\n    ".join(lines)
    return f"{name}(\n    {listed},\n)"


def _written(thing: object) -> dict[str, object]:
    """Annotations of the fields of a class and its bases, as they were written."""
    bases = reversed(thing.__mro__) if inspect.isclass(thing) and hasattr(thing, "model_fields") else ()
    return {name: said for base in bases for name, said in vars(base).get("__annotations__", {}).items()}


def _plain(annotation: object) -> object:
    annotation = getattr(annotation, "__forward_arg__", annotation)
    return Plain(annotation.replace("dem.model.", "")) if isinstance(annotation, str) else annotation


def _members(kind: type) -> list[tuple[str, object]]:
    """Public methods and properties that are documented in `dem`."""
    found = []
    for name, member in inspect.getmembers_static(kind) if hasattr(inspect, "getmembers_static") else _static(kind):
        plain = getattr(member, "__func__", member)
        inner = getattr(plain, "fget", None) or getattr(plain, "func", None) or plain
        ours = str(getattr(inner, "__module__", "")).startswith("dem")
        if not name.startswith("_") and ours and inspect.isfunction(inner) and inner.__doc__:
            found.append((name, member))
    return found


def _static(kind: type) -> list[tuple[str, object]]:
    return [(name, inspect.getattr_static(kind, name)) for name in dir(kind)]


def _member(full: str, name: str, member: object, there: dict[str, str]) -> str:
    plain = getattr(member, "__func__", member)
    inner = getattr(plain, "fget", None) or getattr(plain, "func", None) or plain
    head = f"({full}.{name})=\n### `{full.rsplit('.', 1)[1]}.{name}`"
    shown = [] if inner is not plain else [fenced([_signature(name, plain)], "python")]
    return "\n\n".join([head, *shown, of_docstring(inner.__doc__, there)])
