"""Tip impacts of one fibre as a capsule and as chains of its mass, against the closed form."""

import numpy as np
import pytest

from dem.validation.fibres.fibre_shapes import FORMS, MASS, cone_ratio, rebound, tip_impact


def test_all_forms_have_the_mass_of_the_capsule_and_their_own_moments():
    """Five spheres have 0.959/0.9375 of the capsule's transverse moment where they have its mass."""
    found = {name: form.shape.mass_properties(form.density) for name, form in FORMS.items()}
    assert [of.mass for of in found.values()] == pytest.approx([MASS] * 3, rel=1e-15)
    across = [of.inertia[1] / found["capsule"].inertia[1] for of in found.values()]
    assert across[:2] == pytest.approx([1, 0.959 / 0.9375], rel=1e-3)
    assert abs(across[2] - 1) < 0.1 * (across[1] - 1)  # the fine chain approaches the capsule


@pytest.mark.parametrize("name", FORMS)
def test_a_tip_impact_is_that_of_its_impulse(name):
    """Off by what a fibre turns while in touch, 2e-7 at 1e-5 m/s, and by 100 steps a contact, a few of 1e-4²."""
    at_45 = tip_impact(FORMS[name], 45.0, 1e-5, 100)
    assert at_45 == pytest.approx(rebound(FORMS[name], 45.0), abs=1e-5)


def test_forms_differ_by_more_than_that():
    """So that the test above could fail: five spheres rebound faster, by 8 % at 45°."""
    fast = [rebound(form, 45.0).velocity for form in FORMS.values()]
    assert np.diff(fast[:2]) > 0.01
    assert abs(fast[2] - fast[0]) < 1e-3


def test_a_cone_is_known_by_its_moments():
    """Slices of a cone of height 0.3 and radius 0.6, as many points in each as its area tells."""
    depth, turn = 0.3 * np.cbrt((np.arange(1000) + 0.5) / 1000), np.pi * (np.arange(40) + 0.5) / 20
    radius = 0.6 * depth[:, None] / 0.3 * np.sqrt((np.arange(50) + 0.5) / 50)
    x, y = (radius[..., None] * of(turn) for of in (np.cos, np.sin))
    points = np.stack([x, y, np.broadcast_to(0.3 - depth[:, None, None], x.shape)], axis=-1)
    assert cone_ratio(points.reshape(-1, 3)) == pytest.approx(0.5, rel=1e-3)
