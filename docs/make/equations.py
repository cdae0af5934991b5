"""A page for each file of kernels: its docstring, its functions, and the tests that check it."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown import fenced, inline, of_docstring

ROOT = Path(__file__).parent.parent.parent
KERNELS = ROOT / "kernels"
MAX_TESTS = 8  # tests that a page lists
ROOMS = {
    "laws": "Contact laws", "bonds": "Bonds", "rotation": "Rotation", "walls": "Walls", "fluid": "Fluids",
    "domain": "Box and periodic cell", "event_driven": "Hard spheres", "dsmc": "Random collisions",
    "packing": "Packing", "soft": "Time steps", "soft/integration": "Time steps: integration",
    "soft/neighbours": "Time steps: neighbour lists", "soft/contact": "Time steps: contacts",
    "soft/wall_contact": "Time steps: contacts with walls", "soft/bonds": "Time steps: bonds",
    "soft/fluid": "Time steps: fluids", "soft/subdomain": "Time steps: domains of ranks", "numerics": "Numerics",
    "simd": "Vector instructions", "compiler": "Compiler",
}  # fmt: skip


def write(folder: Path) -> None:
    """Write the pages, an index for each folder of kernels, and one for all."""
    rooms = {path.parent.relative_to(KERNELS).as_posix() for path in KERNELS.glob("*/**/__init__.py")}
    order = [*(room for room in ROOMS if room in rooms), *sorted(rooms - ROOMS.keys())]
    parts = [
        "# Equations",
        "A page for each file of `kernels/`: the equation with the symbols of the code, its source, and the tests that "
        "check it. The [glossary](/glossary) explains terms, the [model](/reference/model) gives an overview.",
    ]
    for room in order:
        (folder / room).mkdir(parents=True, exist_ok=True)
        files = sorted(path for path in (KERNELS / room).glob("*.py") if path.stem != "__init__")
        for path in files:
            (folder / room / f"{path.stem}.md").write_text(page(path))
        title, lines = ROOMS.get(room, room.capitalize()), [(path.stem, _summary(path)) for path in files]
        about = of_docstring(ast.get_docstring(ast.parse((KERNELS / room / "__init__.py").read_text())) or "")
        listed = "\n".join(f"- [{name}]({name}.md): {summary}" for name, summary in lines)
        (folder / room / "index.md").write_text(f"# {title}\n\n{about}\n\n{listed}\n")
        parts += [f"## {title}", "\n".join(f"- [{name}]({room}/{name}.md): {summary}" for name, summary in lines)]
    # of rooms only: each page would list all files at its side, which takes most of the time
    rows = "\n".join(f"{room}/index" for room in order)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{rows}\n```")
    (folder / "index.md").write_text("\n\n".join(parts) + "\n")


def _summary(path: Path) -> str:
    """First paragraph of the docstring of a file."""
    return inline(" ".join((ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0].split()))


def page(path: Path) -> str:
    """Page of one file."""
    text = path.read_text()
    tree, where = ast.parse(text), path.relative_to(ROOT)
    parts = [
        "---\norphan: true\n---",
        f"# `{'.'.join(path.relative_to(KERNELS).with_suffix('').parts)}`",
        of_docstring(ast.get_docstring(tree) or ""),
    ]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            parts.append(_record(node, text))
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and ast.get_docstring(node):
            parts.append(_function(node, text))
    held = tests_of(path)
    if held:
        parts.append("## Tests\n\n" + "\n".join(f"- {inline(one)}" for one in held))
    parts.append(f"Source: `{where}`.")
    return "\n\n".join(parts) + "\n"


def _record(node: ast.ClassDef, text: str) -> str:
    fields = [ast.get_source_segment(text, line) for line in node.body if isinstance(line, ast.AnnAssign)]
    lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
    code = [fenced(lines, "python")] if fields else []
    return "\n\n".join([f"## `{node.name}`", of_docstring(ast.get_docstring(node) or ""), *code])


def _function(node: ast.FunctionDef, text: str) -> str:
    names = ", ".join(argument.arg for argument in node.args.args)
    body = text.splitlines()[node.body[0].end_lineno : node.end_lineno]
    code = fenced([f"def {node.name}({names}):", *body], "python")
    hidden = f"<details><summary>code</summary>\n\n{code}\n\n</details>" if body else ""
    return "\n\n".join([f"## `{node.name}`", of_docstring(ast.get_docstring(node) or ""), hidden])


@cache
def _mutants() -> tuple:
    """Mutants of the code, each with the test that must fail."""
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        from mutations import MUTANTS  # noqa: PLC0415
    finally:
        sys.path.pop(0)
    return tuple(MUTANTS)


class Named(NamedTuple):
    """A test, with the modules whose functions it calls and the public classes that it makes."""

    file: str
    name: str
    words: frozenset[str]


@cache
def _tests() -> tuple[Named, ...]:
    """All tests."""
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                code = "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
                words = {f"{word}." for word in re.findall(r"(?<![\w.])(\w+)\.\w", code)}
                words |= {f"dem.{word}(" for word in re.findall(r"\bdem\.(\w+)\(", code)}
                found.append(Named(str(path.relative_to(ROOT)), node.name, frozenset(words)))
    return tuple(found)


def tests_of(path: Path) -> list[str]:
    """Tests that fail for a mutant of the file, and tests that call its functions."""
    text, tree = path.read_text(), ast.parse(path.read_text())
    functions = {n.name: ast.get_source_segment(text, n) or "" for n in tree.body if isinstance(n, ast.FunctionDef)}
    held = [
        f"`tests/{m.file}`, `{m.tests}`: fails for `{m.new}` instead of `{m.old}` in `{m.function}`"
        for m in _mutants() if m.old in functions.get(m.function, "")
    ]  # fmt: skip
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef)]
    words = {f"{path.stem}.", *(f"dem.{name}(" for name in classes)}
    held += [f"`{test.file}`: `{test.name}`" for test in _tests() if test.words & words]
    more = len(held) - MAX_TESTS
    return held[:MAX_TESTS] + ([f"and {more} more"] if more > 0 else [])
