"""What tables of case files have in common, and how to find them in types."""

from __future__ import annotations

import inspect
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a case file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    def given(self) -> dict[str, Any]:
        """What has been said in it."""
        return {key: value for key, value in self if value is not None}


def without_none(kind: object) -> object:
    """The type in an optional one."""
    if get_origin(kind) in (Union, UnionType):
        return next(member for member in get_args(kind) if member is not NoneType)
    return kind


def table_in(kind: object) -> type[Table] | None:
    """The table that a type is, or a list or mapping of it; None for plain values."""
    inner = without_none(kind)
    if get_origin(inner) in (list, dict):
        inner = get_args(inner)[-1]
    return inner if inspect.isclass(inner) and issubclass(inner, Table) else None
