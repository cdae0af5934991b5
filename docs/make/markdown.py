"""Docstrings as Markdown: sections, examples, formulae; public names become links."""

from __future__ import annotations

import inspect
import re
import textwrap
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SPECIAL = re.compile(r"([\\*_\[\]<>$|{}#~^])")
RAISED = re.compile(r"\^(?:\{([^{}]+)\}|\(([^()]+)\)|(-?(?:\d+(?:\.\d+)?|[A-Za-zα-ω])))(?!\w)")
LOWERED = re.compile(
    r"(?<!\w)([A-Za-zα-ωΑ-Ω]['\u0300-\u036f]?)_(?:\{([^{}]+)\}|([A-Za-z0-9α-ω]{1,6})(?![A-Za-z0-9_α-ω]))"
)
CODE = re.compile(r"``(.+?)``|`([^`]+)`")


def escaped(text: str) -> str:
    """Plain text that means itself in Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def formula(text: str) -> str:
    """Plain text whose exponents stand above the line, and indices below it."""
    parts, last = [], 0
    for found in sorted([*RAISED.finditer(text), *LOWERED.finditer(text)], key=lambda one: one.start()):
        if found.start() < last:
            continue
        parts.append(escaped(text[last : found.start()]))
        if found.re is LOWERED:
            parts.append(f"{found[1]}<sub>{escaped(found[2] or found[3])}</sub>")
        else:
            parts.append(f"<sup>{escaped(found[1] or found[2] or found[3])}</sup>")
        last = found.end()
    return "".join(parts) + escaped(text[last:])


APART = re.compile(  # blocks of code, code, targets of links, directives, lines that are shown as they are
    r"(^```.*?^```$|``.+?``|`[^`\n]+`|\]\([^)\n]*\)|^:::.*$|^ {4}.*$)", re.MULTILINE | re.DOTALL
)
KERNEL = re.compile(r"`kernels/((?:\w+/)*\w+)/(\w+)\.py`")


def marked(text: str) -> str:
    """A hand-written page, with exponents and indices set, and files of kernels linked to their pages."""
    parts = APART.split(text)
    for k in range(0, len(parts), 2):
        parts[k] = LOWERED.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", parts[k])
        parts[k] = RAISED.sub(lambda found: f"<sup>{found[1] or found[2] or found[3]}</sup>", parts[k])
    parts[1::2] = [part if part.startswith("``") else KERNEL.sub(_page, part) for part in parts[1::2]]
    return "".join(parts)


def _page(found: re.Match) -> str:
    """A file of kernels, as a link to its page."""
    name = "index" if found[2] == "__init__" else found[2]
    return f"[{found[0]}](/made/equations/{found[1]}/{name}.md)"


def inline(text: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    """A paragraph: code stays code, known names are links, all else means itself."""
    parts, last = [], 0
    for found in CODE.finditer(text):
        parts.append(formula(text[last : found.start()]))
        code = found[1] or found[2]
        target = code if code in known else f"dem.{code}" if f"dem.{code}" in known else None
        parts.append(f"[`{code}`](#{known[target]})" if target and found[2] else f"`{code}`")
        last = found.end()
    return "".join(parts) + formula(text[last:])


def fenced(lines: list[str], language: str) -> str:
    """A block of code."""
    return f"```{language}\n" + "\n".join(lines) + "\n```"


def of_docstring(docstring: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    """The whole of one."""
    lines, out, k, title = inspect.cleandoc(docstring).splitlines(), [], 0, ""
    while k < len(lines):
        if not lines[k].strip():
            k += 1
        elif k + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[k + 1]):
            title = lines[k]
            out.append(f"**{title}**")
            k += 2
        else:
            end = k
            while end < len(lines) and lines[end].strip():
                end += 1
                if end + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[end + 1]):
                    break
            out.append(_block(lines[k:end], title, known))
            k = end
    return "\n\n".join(out)


def _block(lines: list[str], title: str, known: Mapping[str, str]) -> str:
    """Lines without an empty one."""
    first = next((k for k, line in enumerate(lines) if line.startswith(">>>")), None)
    if first is not None:
        before = [_block(lines[:first], title, known)] if first else []
        return "\n\n".join([*before, fenced(lines[first:], "pycon")])
    if title in {"Parameters", "Returns", "Raises", "Writes", "Attributes", "Warns", "Yields"}:
        return _entries(lines, known)
    if all(line.startswith("    ") for line in lines):
        return fenced(textwrap.dedent("\n".join(lines)).splitlines(), "text")
    turn = next((k for k, line in enumerate(lines) if k and line.startswith("    ")), len(lines))
    text = inline(" ".join(line.strip() for line in lines[:turn]), known)
    rest = [_block(lines[turn:], title, known)] if turn < len(lines) and not _mixed(lines[turn:]) else []
    if turn < len(lines) and not rest:
        rest = [fenced(lines[turn:], "text")]
    return "\n\n".join([text, *rest])


def _mixed(lines: list[str]) -> bool:
    return not all(line.startswith("    ") for line in lines)


def _entries(lines: list[str], known: Mapping[str, str]) -> str:
    """Names, what they are, and what is said of them."""
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if not line.startswith(" "):
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    told = []
    for head, body in items:
        name, colon, kind = head.partition(" : ")
        what = f"`{name}`" + (f" ({inline(kind, known)})" if colon else "")
        told.append(f"- {what}" + (f": {inline(' '.join(body), known)}" if body else ""))
    return "\n".join(told)
