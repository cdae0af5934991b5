"""Everything that is wrong with a case file, a line each: where, what came, what is allowed, what may be meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.text import cut, shown
from dem.casefile.schema.allowed_values import meaning
from dem.casefile.schema.key_types import TAGS
from dem.casefile.schema.table_base import table_in

if TYPE_CHECKING:
    from pydantic import ValidationError

    from dem.casefile.schema.table_base import Table

WORDS = {"valid tuple": "list", "valid list": "list", "valid dictionary": "table", "Input": "input"}  # as TOML says


def lines(error: ValidationError, model: type[Table]) -> list[str]:
    """A line for each error, beginning with the path of the key in the file."""
    return [_line(each, model) for each in error.errors()]


def _line(error: dict, model: type[Table]) -> str:
    path = [part for part in error["loc"] if part not in (*TAGS, "[key]")]
    where = ".".join(cut(str(part)) for part in path)
    table = _table_at(model, path[:-1])
    if error["type"] == "extra_forbidden":
        try:
            checks.one_of("key", str(path[-1]), table.model_fields)
        except ValueError as unknown:
            return f"{where}: {unknown}"
    if error["type"] == "missing":
        field = table.model_fields.get(path[-1])  # none in a list of fixed length
        return f"{where} is missing" + (f": {meaning(field)}" if field else "")
    if error["type"] == "value_error":
        return f"{where}: {error['ctx']['error']}"
    said = error["msg"]
    if error["type"] == "literal_error":
        near = checks.nearest(str(error["input"]), re.findall(r"'([^']*)'", error["ctx"]["expected"]))
        said += f": did you mean {near}?" if near else ""
    for word, better in WORDS.items():
        said = said.replace(word, better)
    return f"{where} is {shown(error['input'])}: {said}"


def _table_at(model: type[Table], path: list) -> type[Table]:
    """The model of the table at a path."""
    for part in path:
        if part in model.model_fields:
            model = table_in(model.model_fields[part].annotation) or model
    return model
