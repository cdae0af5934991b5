"""What a contact law is made of, and what it is told."""

from typing import NamedTuple


class Touch(NamedTuple):
    """Two surfaces in contact, i and j."""

    stiffness: float  # K of Hertz's law [N m^-1.5]
    mass: float  # effective mass against motion along the normal [kg]
    overlap: float  # δ [m], positive
    normal: tuple[float, float, float]  # unit vector from j to i
    velocity: tuple[float, float, float]  # of surface i relative to surface j at the contact point [m/s]
    twist: float  # mean angular velocity of the two about the normal [rad/s]


class ContactLaw(NamedTuple):
    """The functions of a law, see the package's docstring."""

    contact: object
    nothing: object
    load: object
    store: object
    width: int
