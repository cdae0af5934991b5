"""What values a key of a case file may have, in words, read off its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from dem.casefile.schema.key_types import Among

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMITS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}  # as pydantic calls them


def allowed(field: FieldInfo) -> str:
    """Words and limits that there are for a key; nothing if any value of its type will do.

    Examples
    --------
    >>> from dem.casefile.schema.case_tables import BoxTable, ShapeTable
    >>> allowed(ShapeTable.model_fields["type"]), allowed(BoxTable.model_fields["roughness"])
    ('sphere, fibre, capsule, clump, ellipsoid, superellipsoid or flexible-fibre', 'at least 0 and at most 1')
    """
    if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1:
        return ""  # what tells one table from another
    return "; ".join(dict.fromkeys([*_told(field.metadata), *_inside(field.annotation)]))


def meaning(field: FieldInfo) -> str:
    """What a key means, and what it may be."""
    limits = allowed(field)
    return f"{field.description}{f' ({limits})' if limits else ''}"


def _inside(kind: object) -> Iterator[str]:
    """Of a type, and of all that it is made of."""
    if kind is bool:
        yield "true or false"
    if get_origin(kind) is Literal:
        words = get_args(kind)
        yield f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
        return
    yield from _told(getattr(kind, "__metadata__", ()))
    for part in get_args(kind):
        yield from _inside(part)


def _told(metadata: Iterable[object]) -> Iterator[str]:
    """Of what a type is annotated with."""
    limits = []
    for each in metadata:
        if isinstance(each, FieldInfo):
            yield from _told(each.metadata)
        elif isinstance(each, Among):
            yield ", ".join(each.names)
        limits += [f"{words} {getattr(each, name):g}" for name, words in LIMITS.items() if hasattr(each, name)]
    if limits:
        yield " and ".join(limits)
