"""Apply options ``--set NAME=VALUE`` to the content of a case file."""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin

from dem.casefile.schema.case_tables import ShortTable
from dem.casefile.schema.key_types import Table, table_in, without_none
from dem.casefile.toml import tomllib

PART = re.compile(r'"([^"]*)"|([^."]+)')  # of a dotted path


def put(content: dict, settings: dict, model: type[Table]) -> dict:
    """Content of a file with settings at dotted paths; missing tables are added.

    Tables and lists are made as the model has them, a new group of particles or pair of materials by the next number.
    The names of keys may be spelt with hyphens.

    Raises
    ------
    ValueError
        For a path that leads nowhere.

    Examples
    --------
    >>> from dem.casefile.schema.case_tables import SteppedTable
    >>> put({}, {"box.motion.z-.frequency": "30 Hz", "box.open": "z+", "time-step": "auto"}, SteppedTable)
    {'box': {'motion': {'z-': {'frequency': '30 Hz'}}, 'open': ['z+']}, 'time_step': 'auto'}
    """
    for dotted, value in settings.items():
        path = [quoted or plain for quoted, plain in PART.findall(dotted)]
        if not path:
            raise ValueError(f"--set {dotted}={value}: expected NAME=VALUE")
        if model is ShortTable and path[0] != "output":
            path = path if path[0] == "parameters" and len(path) > 1 else ["parameters", *path]
            if len(path) > 2:
                raise ValueError(f"--set {dotted}: a file that names a case has parameters and output only")
            path[1] = path[1].replace("-", "_")
        elif path == ["frames"]:
            path = ["output", "frames"]
        _put(content, path, plain(value), model)
    return content


def _put(node: dict | list, path: list[str], value: object, kind: object) -> None:
    """Set a value at a path in a table or list."""
    for depth, part in enumerate(path):
        dotted = ".".join(path[: depth + 1])
        if not isinstance(node, (dict, list)):
            raise ValueError(f"--set {dotted.rpartition('.')[0]}: there is no table, but {node!r}")
        key, kind = _inside(node, part, kind, dotted)
        if depth == len(path) - 1:
            listed = get_origin(kind) in (list, tuple) and not isinstance(value, list)
            new = [value] if listed else value
        else:
            new = [] if get_origin(kind) is list else {}
        if isinstance(node, list) and key == len(node):
            node.append(new)
        elif depth == len(path) - 1 or (isinstance(node, dict) and key not in node):
            node[key] = new
        node = node[key]


def _inside(node: dict | list, part: str, kind: object, dotted: str) -> tuple[str | int, object]:
    """Key or index of a part of a path in a table or list, and the type of the value there."""
    if isinstance(node, list):
        if not (part.isdecimal() and int(part) <= len(node)):
            raise ValueError(f"--set {dotted}: {part!r} is no number from 0 to {len(node)}, which would be a new one")
        return int(part), without_none(next(iter(get_args(kind)), Any))
    if get_origin(kind) is dict:  # whose keys are names
        return part, get_args(kind)[1]
    table = table_in(kind)
    key = part.replace("-", "_")
    if table is None or key not in table.model_fields:
        return part, Any
    return key, without_none(table.model_fields[key].annotation)


def plain(value: object) -> object:
    """Value of a command-line option: TOML, else a list of words separated by commas, or a word.

    Examples
    --------
    >>> plain("[[0, 0, 1]]"), plain("1e-3,0,10 mm"), plain("[x, y]"), plain("steel"), plain(3)
    ([[0, 0, 1]], [0.001, 0, '10 mm'], ['x', 'y'], 'steel', 3)
    """
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, str):
        return value
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        pass
    parts = [part.strip() for part in value.strip("()[] ").split(",")]
    if len(parts) > 1 or value.strip()[:1] in ("[", "("):
        return [plain(part) for part in parts]
    return value
