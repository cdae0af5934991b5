"""Arrays of bonds between bodies: parameters, state and results."""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, select, type_is
from dem.kernels.soft.bonds.bond_types import Brittle, Lasting  # noqa: F401 (beside the others)
from dem.kernels.soft.bonds.overlap_release import ExcludedPairs

INTACT, BREAKING, BROKEN, REMOVED = range(4)  # the last: of bodies that have left for good
GROUND = -1  # in place of the second body

# rows of `Bonds.table`
LENGTH, ALONG, ACROSS, DRAG_ALONG, DRAG_ACROSS = 0, 1, 3, 5, 7
FRAME_I, FRAME_J, ANCHOR_I, ANCHOR_J, SECTION, STRENGTH, CLOSE, ROWS = 9, 13, 17, 20, 23, 26, 28, 30
# columns of `Bonds.chunk_sums`: energy, what dashpots dissipate in half a step (two words), bits of the largest load
# and of the largest `BondForce.pressed`
ELASTIC, LOSS, LOAD, PRESSED, COLUMNS = 0, 1, 3, 4, 5


class Undamped(NamedTuple):
    """Marker of bonds without dissipation."""


class Damped(NamedTuple):
    """Marker of bonds with dashpots."""


class Centred(NamedTuple):
    """Bonds from centre to centre."""


class Anchored(NamedTuple):
    """Bonds from anchors in the bodies."""


class Aligned(NamedTuple):
    """Bonds along the x axes of their bodies."""


class Framed(NamedTuple):
    """Bonds along any direction in them."""


class OneKind(NamedTuple):
    """Marker of bonds of a single kind."""


class TwoKinds(NamedTuple):
    """Bonds of two kinds, as damped fibres have: at their ends, where bodies are lighter, and between."""


class ManyKinds(NamedTuple):
    """Marker of bonds of more than two kinds."""


class Lossless(NamedTuple):
    """Bonds of a run in which no losses become heat."""


class Heating(NamedTuple):
    """Bonds whose losses become heat of their bodies."""


class Form(NamedTuple):
    """Properties of the bonds of a run as types, so that kernels contain only the forces needed."""

    damped: tuple  # `Undamped` or `Damped`
    anchored: tuple  # `Centred` or `Anchored`
    framed: tuple  # `Aligned` or `Framed`
    brittle: tuple  # `Lasting` or `Brittle`
    kinds: tuple  # `OneKind`, `TwoKinds` or `ManyKinds`
    heats: tuple = Lossless()  # `Lossless` or `Heating`


class Bonds(NamedTuple):
    """B bonds of K kinds; G of them are to the ground.

    Data that every step reads are in slots, in the order in memory of the first body of each bond, so that a step goes
    through memory once. Bonds are evaluated with the chunk of their first body, and their forces are kept only until
    they are gathered. Numbers of bonds are the user's.
    """

    form: tuple  # `Form`
    # (ROWS, K), see above: length [m]; stiffnesses along and across, of dashpots the same; frames and
    # anchors of both ends in the bodies' frames [m]; 1/A, β r/I, β r/J; one over both strengths; length below which
    # bodies overlap more than at rest [m] and 1/radius, zeros where they have contact
    table: np.ndarray
    slot: np.ndarray  # (B,) int32, slot of each bond; -1 if another rank has it (``subdomain_step``)
    bond: np.ndarray  # (B,) int32, by slot: which bond is there
    kind: np.ndarray  # (B,) int32, by slot
    first: np.ndarray  # (B,) int32, by slot: index of the first body
    second: np.ndarray  # (B,) int32, by slot: of the second one, or again of the first one
    live: np.ndarray  # (B,) by slot: 1 for those that act, 0 for those that are broken or to the ground
    chunk_first: np.ndarray  # (C + 1,) int64, slots of the bonds that begin in each chunk of bodies
    highest: np.ndarray  # (C,) int32, last chunk that they reach
    ground: np.ndarray  # (G,) int64, the bonds to the ground
    grounded: np.ndarray  # (G,) int64, their places in `ground`, in the order of slots
    ground_first: np.ndarray  # (C + 1,) int64, which of these begin in each chunk
    ground_pose: np.ndarray  # (7, G) position [m] and orientation of the ground at each, as if it were a body
    state: np.ndarray  # (B,) int8, INTACT or one of the others
    when: np.ndarray  # (B,) int64, step at which it broke, -1 before
    load: np.ndarray  # (B,) by slot: stress over strength, if any may break
    pending: np.ndarray  # (B,) int64, those that are breaking
    # (B,) energy of each of these when it was found to break [J]; while a step is evaluated, by bond. (2 B,) on several
    # ranks: then the mean of this energy and that in the next step
    before: np.ndarray
    count: np.ndarray  # (3,) int64: number of those, steps taken, broken bonds
    pressed: np.ndarray  # (1,) largest overlap so far of bodies without contact, beyond that at rest, over a radius
    # (9, F) force on the first body [N], torque on the first and the second one [N m]; (10, F) with heat: what dashpots
    # take in half a step [J], twice that to the ground
    forces: np.ndarray
    first_force: np.ndarray  # (C,) int64, column of `forces` where those of each chunk begin
    incident_first: np.ndarray  # (N + 1,) int32, bonds of the body with index b are incident[incident_first[b]] and on
    incident: np.ndarray  # (2 B - G,) int32, in the order of their numbers: twice the column, 1 more for the second
    chunk_sums: np.ndarray  # (C, COLUMNS) int64, what the bonds of each chunk report
    sums: np.ndarray  # (3,) of all: elastic energy, half a step's loss, energy of those that broke [units]
    excluded: ExcludedPairs


is_enabled = type_is(lambda kind: kind in (Damped, Anchored, Framed, Brittle, Heating))
HEAT_ROW = 9  # row of `Bonds.forces` with the heat of dashpots


def rows_of_forces(form: Form) -> int:
    """Number of rows of `Bonds.forces`."""
    return HEAT_ROW + isinstance(form.heats, Heating)


@inline
def of_all(table, row, g):
    """Table entry that all bonds have in common: read once."""
    return table[row, 0]


@inline
def of_either(table, row, g):
    """Table entry of bond kind g, 0 or 1, if there are two kinds.

    Both are read once and selected; a table lookup for each bond takes longer.
    """
    a, b = table[row, 0], table[row, 1]
    return a if g == 0 else b


@inline
def of_each(table, row, g):
    """Table entry of bond kind g, if there are more than two kinds."""
    return table[row, g]


of_kind = select("kinds", {OneKind: of_all, TwoKinds: of_either, ManyKinds: of_each}, handed=False)
