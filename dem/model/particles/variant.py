"""Variants: what a shape and a material are together, for particles that move or for those that are fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape


class Fixed(tuple):
    """Shape and material of particles that are fixed: a pair that equals no pair of particles that move.

    Variants are pairs all over the package, and whatever is known of particles by their variant (mass properties,
    spheres) holds for fixed ones too. So the mark is the type of the pair, and no table has a further column.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Whether this is the same shape and material, fixed too."""
        return type(other) is Fixed and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Whether it is not."""
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
