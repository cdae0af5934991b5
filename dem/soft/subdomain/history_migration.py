"""Contact history of a subdomain by its own spheres; bodies that stay are found without a search.

Only arriving bodies, ghosts and bodies of other ranks are searched by number: to sort the numbers of all bodies would
take a tenth of the rebuild.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.soft.contact.contact_history import ContactHistory
from dem.soft.subdomain.migration import find

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.soft.contact.contact_history import Index
    from dem.soft.subdomain.migration import MigrationSet

MISSING = np.iinfo(np.int64).min


def indexed(
    migration: MigrationSet, place: np.ndarray, ghosts: int, number: np.ndarray, b: Bodies, kinds: Kinds
) -> Index:
    """The table by spheres as they are here; rows of spheres that are not here are left out.

    Bodies are in these places, by old row, and those that have come after them; < 0 if they are here no more.
    """
    table, known, spheres = migration.table, migration.known_rows[0].size, []
    few = np.concatenate([np.arange(ghosts), place[migration.partner_rows], place[migration.old.number.size :]])
    few = few[few >= 0]
    order = np.argsort(number[few], kind="stable")
    for given, row in zip((table.i, table.j), migration.known_rows, strict=True):
        body, first, rest = place[np.maximum(row, -1)], given[:known], given[known:]
        first = np.where(first < 0, first, b.first_sphere[body] + first - number[body])
        within, row_of = find(rest, number[few], b.kind[few], kinds, order)
        rest = np.where(row_of >= 0, b.first_sphere[few[row_of]] + within, np.where(rest < 0, rest, MISSING))
        spheres.append(np.concatenate([first, rest]))
    here = (spheres[0] != MISSING) & (spheres[1] != MISSING)
    return ContactHistory(spheres[0][here], spheres[1][here], table.history[here], b.wall_contacts).indexed(
        b.owner.size, b.first_sphere[:-1]
    )
