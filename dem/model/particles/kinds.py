"""Kinds of particles: groups with a name, one material and one type of shape; variants: a shape and a material.

Sizes may differ within a kind. Variants tell fixed particles from those that move.
"""

from __future__ import annotations

import itertools
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.model.contact.law_registry import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

MAX_KINDS_LISTED = 12  # kinds that are told one by one
FEW = 3  # numbers of a list that are told one by one, such as semi-axes


class Kind(NamedTuple):
    """Properties shared by all particles of a kind; their sizes are in their variants."""

    name: str  # as given, or the type of the shape
    shape: str  # name of its class
    material: Material


def kind_of(shape: Shape, material: Material, name: str | None = None) -> Kind:
    """Kind of a particle with this shape and material; without a name it is called by the type of the shape."""
    form = type(shape).__name__
    return Kind(name or form.lower(), form, material)


def numbered(kinds: Iterable[Kind]) -> tuple[list[Kind], list[int]]:
    """Different kinds, and the number of the kind of each given one."""
    kinds = list(kinds)
    number: dict[Kind, int] = {}
    which = [number.setdefault(kind, len(number)) for kind in kinds]
    return [kinds[which.index(k)] for k in range(len(number))], which


def of_kind(kinds: Sequence[Kind], kind: np.ndarray, name: str) -> np.ndarray:
    """Which particles (N,) of given kinds are of the kinds of a name, or of the kind of a label.

    Raises
    ------
    ValueError
        If no kind is called so.
    """
    names = [each.name for each in kinds]
    labelled = labels(names)
    checks.one_of("kind", name, dict.fromkeys([*names, *labelled]))
    chosen = [name in pair for pair in zip(names, labelled, strict=True)]
    return np.array(chosen, dtype=bool)[kind]


def labels(names: Iterable[str]) -> list[str]:
    """Unique labels of kinds: names, with a number after a repeated one.

    Examples
    --------
    >>> labels(["rod", "bead", "rod"])
    ['rod', 'bead', 'rod-2']
    """
    taken: dict[str, None] = {}
    count: dict[str, int] = {}
    for name in names:
        label = name
        while label in taken:
            count[name] = count.get(name, 1) + 1
            label = f"{name}-{count[name]}"
        taken[label] = None
    return list(taken)


def values_of(thing: object) -> dict:
    """Arguments of a shape or material as plain values; for a user's own that is no dataclass, its repr."""
    if not is_dataclass(thing):
        return {"repr": repr(thing)}
    values = plain(thing)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def distribution(values: Sequence[dict], counts: Sequence[int]) -> dict:
    """Values that several variants have in common, and the distribution of each value that differs.

    Parameters
    ----------
    values : sequence of dict
        Values of each variant, by name.
    counts : sequence of int
        Number of particles of each variant.

    Returns
    -------
    dict
        The value that all have; or least, most, mean and number of different ones; or only their number.

    Examples
    --------
    >>> distribution([{"diameter": 1.0, "spheres": 2}, {"diameter": 2.0, "spheres": 2}], [3, 1])
    {'diameter': {'least': 1.0, 'most': 2.0, 'mean': 1.25, 'different': 2}, 'spheres': 2}
    """
    distributions = {}
    for name in dict.fromkeys(itertools.chain.from_iterable(values)):
        column = [each.get(name) for each in values]
        different = len({repr(each) for each in column})
        if different == 1:
            distributions[name] = column[0]
        elif all(isinstance(each, (int, float)) for each in column):
            mean = float(np.average(column, weights=counts))
            distributions[name] = {"least": min(column), "most": max(column), "mean": mean, "different": different}
        else:
            distributions[name] = {"different": different}
    return distributions


def described(kinds: Sequence[Kind], kind: np.ndarray, variant: np.ndarray, values: Sequence[dict]) -> list[dict]:
    """Each kind as plain values, for particles of these kinds (N,) and variants (N,), with size distributions."""
    rows = []
    for k, (name, shape, material) in enumerate(kinds):
        which, counts = np.unique(variant[kind == k], return_counts=True)
        sizes = distribution([values[v] for v in which], counts.tolist())
        own = {"name": name, "shape": shape, "particles": int(counts.sum())}
        rows.append({**own, "sizes": sizes, "material": values_of(material)})
    return rows


def in_words(kinds: Sequence[dict]) -> str:
    """Kinds with numbers and sizes in a line, such as ``2 x fibre (Fibre, diameter 0.01, spheres 5)``."""
    words_of_kinds = []
    for label, kind in zip(labels(kind["name"] for kind in kinds), kinds[:MAX_KINDS_LISTED], strict=False):
        sizes = (f", {name} {_word(value)}" for name, value in kind["sizes"].items())
        words_of_kinds.append(f"{kind['particles']} x {label} ({kind['shape']}{''.join(sizes)})")
    return ", ".join(words_of_kinds) + further_kinds_note(len(kinds))


def further_kinds_note(count: int) -> str:
    """How many kinds are not listed, as text behind the listed ones; empty if all are."""
    return f" and {counted(count - MAX_KINDS_LISTED, 'kind')} more" if count > MAX_KINDS_LISTED else ""


def _word(value: object) -> str:
    """A value, or its range, as text."""
    if isinstance(value, dict):
        return f"{value['least']:.4g} to {value['most']:.4g}" if "least" in value else f"{value['different']} of them"
    if isinstance(value, (list, tuple)):  # of a file, or of a shape
        if len(value) <= FEW and all(isinstance(each, (int, float)) for each in value):
            return f"({', '.join(_word(each) for each in value)})"
        return f"{len(value)} of them"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Fixed(tuple):
    """Shape and material of particles that are fixed: a pair that equals no pair of particles that move.

    Variants are pairs all over the package, and whatever is known of particles by their variant (mass properties,
    spheres) holds for fixed ones too. So the type of the pair tells, and tables need no column for it.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Whether this is the same shape and material, fixed too."""
        return type(other) is Fixed and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Whether shape and material are different, or not fixed."""
        return not self == other

    def __hash__(self) -> int:
        """Hash of the pair, different from that of the pair that is not fixed."""
        return hash((Fixed, *self))


def variant_of(shape: Shape, material: Material, *, fixed: bool) -> tuple[Shape, Material]:
    """Shape and material as a variant."""
    return Fixed((shape, material)) if fixed else (shape, material)


def is_fixed(variant: tuple[Shape, Material]) -> bool:
    """Whether particles of a variant are fixed."""
    return isinstance(variant, Fixed)
