"""A domain of one's own whose periodic images move, as machine code; in plain Python see tests/extensions.

Kernels of others' types are compiled anew in each process; all tests take one contact law, so that it happens once.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
import test_sheared_cell as sheared

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("height", [0.093, 0.0995], ids=["beside", "crossing"])
def test_the_shearing_boundary_is_no_place_for_machine_code(height):
    sheared.test_the_shearing_boundary_is_no_place("spheres", sheared.ROUGH, height)


def test_machine_code_finds_neighbours_across_the_boundary_wherever_images_are(rng):
    sheared.test_neighbours_are_found_across_the_boundary_wherever_images_are(rng)


def test_machine_code_has_the_list_worn_by_images_that_move():
    sheared.test_the_list_is_worn_by_images_that_move()
