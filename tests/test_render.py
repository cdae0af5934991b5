"""The renderer against closed forms and a ray at a time."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from dem.plots import Camera, Floor, Light, render
from dem.plots.bodies import box_edges
from dem.plots.rendering.light import occlusion
from dem.plots.rendering.raster import nearest

RED, WHITE = (1, 0, 0), (1, 1, 1)
RENDER = sys.modules["dem.plots.rendering.render"]  # not the function
PLAIN = {"ambient": 0, "fill": 0, "diffuse": 1, "specular": 0, "occlusion": 0, "haze": 0, "shadows": False}
FRONT = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)  # parallel, x to the right, z up


def covered(picture):
    return (picture != 255).any(axis=2)


def test_silhouette_in_a_parallel_view_is_a_disc():
    picture = render([[0.2, 5, -0.3]], [1.0], [RED], FRONT, (500, 400), samples=1)
    count = math.pi * (400 / 4) ** 2
    assert covered(picture).sum() == pytest.approx(count, abs=4 * math.sqrt(2 * math.pi * 100))  # of pixels on the rim
    rows, columns = np.nonzero(covered(picture))
    assert (rows.mean(), columns.mean()) == pytest.approx((199.5 + 30, 249.5 + 20), abs=0.05)


@pytest.mark.parametrize("offset", [0.0, 2.0])
def test_silhouette_in_perspective_is_an_ellipse(offset):
    """Semi-axes D r √(c² - r²)/(D² - r²) and D r/√(D² - r²) on the plane through the centre, c² = D² + offset²."""
    distance, r = 4.0, 1.0
    camera = Camera((0, 0, 0), forward=(0, 1, 0), span=8.0, distance=distance)
    picture = render([[offset, 0, 0]], [r], [RED], camera, (500, 400), samples=1)
    rest = distance**2 - r * r
    a = distance * r * math.sqrt(distance**2 + offset**2 - r * r) / rest * 50
    b = distance * r / math.sqrt(rest) * 50
    assert covered(picture).sum() == pytest.approx(math.pi * a * b, abs=4 * math.sqrt(2 * math.pi * a))
    columns = np.nonzero(covered(picture))[1]
    assert np.ptp(columns) + 1 == pytest.approx(2 * a, abs=1)


@pytest.mark.parametrize("direction", [(0, 0, -1), (-0.6, 0.48, -0.64)])
def test_brightness_is_that_of_lambert(direction):
    light = Light(direction=direction, **PLAIN)
    picture = render([[0, 0, 0]], [1.0], [WHITE], FRONT, (201, 201), light=light, background=(0, 0, 0), samples=1)
    x, y = FRONT.pixels(201, 201)
    x, y = np.meshgrid(x, y)
    inside = x * x + y * y < 0.98  # at the rim the slope of the surface amplifies rounding
    normal = np.array([x, y, -np.sqrt(np.maximum(1 - x * x - y * y, 0))])
    expected = 255 * np.maximum(np.einsum("k,kij->ij", direction, normal), 0)
    assert np.abs(picture[..., 0] - expected)[inside].max() <= 0.6  # half a level
    brightest = np.argwhere(picture[..., 0] == 255).mean(axis=0)
    assert brightest == pytest.approx((100 - 201 / 4 * direction[1], 100 + 201 / 4 * direction[0]), abs=0.5)  # pixels


@pytest.mark.parametrize("distance", [math.inf, 6.0])
def test_every_ray_sees_the_first_sphere_it_meets(rng, distance):
    """Against the quadratic equation of each ray with each sphere, in double precision."""
    centres, radii = rng.uniform(-1.2, 1.2, (60, 3)), rng.uniform(0.05, 0.6, 60)
    camera = Camera((0, 0, 0), forward=(0.3, 1, -0.2), span=3.0, distance=distance)
    seen, k = camera.view(centres), camera.convergence
    x, y = camera.pixels(120, 90)
    number = nearest(seen, radii, k, x, y)
    x, y = (a.ravel() for a in np.meshgrid(x, y))
    origin = np.column_stack([x, y, 0 * x])[:, None] - seen
    along = np.column_stack([k * x, k * y, 0 * x + 1])[:, None]
    a, b, c = (along**2).sum(-1), (along * origin).sum(-1), (origin**2).sum(-1) - radii**2
    with np.errstate(invalid="ignore"):
        depth = (-b - np.sqrt(b * b - a * c)) / a
    depth = np.where(np.isnan(depth), np.inf, depth)
    first, second = np.sort(depth, axis=1)[:, :2].T
    expected = np.where(np.isfinite(first), depth.argmin(axis=1), -1)
    with np.errstate(invalid="ignore"):
        clear = ~(second - first < 1e-5) & (np.abs(b * b - a * c).min(axis=1) > 1e-6)  # beyond single precision
    assert clear.sum() > 10_000
    assert (number.ravel() == expected)[clear].all()
    assert 0.3 < (number >= 0).mean() < 1


def test_the_nearer_sphere_hides_the_farther_one_whatever_their_order():
    light = Light(**{**PLAIN, "ambient": 1, "diffuse": 0})
    spheres = [([0, -1, 0], 0.5, (1, 0, 0)), ([0.3, 1, 0], 0.9, (0, 0, 1))]
    for order in (spheres, spheres[::-1]):
        picture = render(*zip(*order, strict=True), FRONT, (80, 80), light=light)
        assert picture[40, 40, 0] > 150 > picture[40, 40, 2]
        assert picture[40, 60, 2] > 150 > picture[40, 60, 0]


def test_the_same_input_gives_the_same_picture(rng):
    given = rng.uniform(-1, 1, (200, 3)), rng.uniform(0.05, 0.2, 200), rng.uniform(0, 1, (200, 3))
    camera = Camera((0, 0, 0), forward=(0, 1, 0), span=3.0, distance=9.0)
    floor = Floor(np.array([-1.5, -1.5, -1.3]), np.array([[3, 0, 0], [0, 3, 0]]))
    assert (render(*given, camera, (90, 70), floor=floor) == render(*given, camera, (90, 70), floor=floor)).all()


FLOOR = Floor(np.array([-3.0, -3, -1]), np.array([[6.0, 0, 0], [0, 6, 0]]))
EDGES = box_edges(np.array([-3.0, -3, -1]), np.diag([6.0, 6, 3]))
ABOVE = Camera((0, 0, 0), forward=(0.2, 1, -0.6), span=7.0)
ROOMS = {
    "parallel": (ABOVE, {"floor": FLOOR, "lines": EDGES}),
    "perspective": (replace(ABOVE, distance=9.0), {"floor": FLOOR, "lines": EDGES}),
    "next to the eye": (replace(ABOVE, distance=2.5), {"floor": FLOOR}),  # part of the floor is behind it
    "low light": (ABOVE, {"floor": FLOOR, "light": Light(direction=(-1, 0.55, -0.1))}),
    "light along the floor": (ABOVE, {"floor": FLOOR, "light": Light(direction=tuple(ABOVE.axes @ (1, 0, 0)))}),
    "no shadows": (ABOVE, {"floor": FLOOR, "light": Light(shadows=False, occlusion=0)}),
    "no floor": (ABOVE, {"background": (0.2, 0.3, 0.9)}),
    "one ray a pixel": (replace(ABOVE, distance=12.0), {"floor": FLOOR, "samples": 1}),
}


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.few(2)
def test_what_is_drawn_alone_is_as_when_all_is_drawn(name, rng, monkeypatch):
    """Some spheres are outside of the picture or beyond the floor, one is below it, one behind the eye."""
    camera, room = ROOMS[name]
    centres = [
        (-2, -1, -0.8),
        (1.5, 2, 0.3),
        (2, -2, 1),
        (0, 0, -1),
        (4.2, 1, 0),
        (0, -9, 2),
        (-1, 5, 3),
        (0.4, -2.4, -0.7),
    ]
    radii, colours = [0.2, 0.15, 0.1, 0.3, 0.4, 0.2, 0.25, 0.05], rng.uniform(0, 1, (8, 3))
    monkeypatch.setattr(RENDER, "MAX_SHARE", 1.0)
    some = render(centres, radii, colours, camera, (200, 150), **room)
    monkeypatch.setattr(RENDER, "MAX_SHARE", -1.0)
    everything = render(centres, radii, colours, camera, (200, 150), **room)
    assert (some == everything).all()
    assert (some != some[0, 0]).any()


def test_drawing_goes_with_what_is_there(monkeypatch):
    """A sphere of 16 pixels across and what may be darker around it, in a picture of any size; the floor is kept."""
    drawn = []
    taken = RENDER._coloured
    monkeypatch.setattr(RENDER, "_coloured", lambda *given: [drawn.append(len(given[-1])), taken(*given)][1])
    floor = Floor(np.array([-9.0, 2, -9]), np.array([[18.0, 0, 0], [0, 0, 18]]))  # upright, behind, and not in shadow
    for pixels in (200, 400):
        camera = replace(FRONT, span=pixels / 8)
        for x in (0.0, 2.0):
            light = Light(shadows=False)
            render([[x, 0, 0]], [1.0], [RED], camera, (pixels, pixels), floor=floor, light=light, samples=1)
        empty, first, second = drawn
        assert empty == pixels**2
        assert first == second == (16 + 2 * (1 + 32)) ** 2  # a pixel for rounding, four radii for what is looked at
        drawn.clear()


def test_a_sphere_casts_its_shadow_on_the_floor():
    """Seen from above at 45 degrees, light from overhead: round the foot the floor is in shadow, elsewhere lit."""
    camera = Camera((0, 0, 0), forward=(0, 1, -1), span=8.0)
    overhead = tuple(camera.axes @ (0, 0, 1))
    light = Light(**{**PLAIN, "direction": overhead, "ambient": 0.4, "diffuse": 0.5, "shadows": True})
    floor = Floor(np.array([-9, -9, 0]), np.array([[18, 0, 0], [0, 18, 0]]), colour=(1, 1, 1))
    picture = render([[0, 0, 3]], [0.5], [RED], camera, (160, 160), light=light, floor=floor, samples=1)
    ambient = 0.4 * (0.75 + 0.25 * camera.axes[1, 2])
    lit, dark = round(255 * (ambient + 0.5)), round(255 * ambient)
    assert picture[80, 80].tolist() == [dark] * 3  # the foot of the sphere is what the camera looks at
    assert picture[80, 110].tolist() == [lit] * 3
    shadow = (picture == dark).all(axis=2).sum() + 0.5 * ((picture > dark) & (picture < lit)).all(axis=2).sum()
    area = math.pi * 0.5**2 * math.sin(math.pi / 4) * 20**2  # an ellipse of 20 pixels a metre
    assert shadow == pytest.approx(area, rel=0.15)  # its soft edge is a third of the radius wide


def test_only_what_stands_around_takes_light_away():
    pixels = np.arange(60 * 60)
    x, y = pixels % 60.0, pixels // 60.0
    normals = np.tile([0.0, 0, -1], (60 * 60, 1))
    plane = np.column_stack([x, y, 0 * x])
    inner = (slice(20, 40), slice(20, 40))
    assert occlusion(pixels, plane, normals, (60, 60), 10.0, 10.0, 0, 1).reshape(60, 60)[inner].max() == 0
    step = np.column_stack([x, y, np.where(x < 30, 0.0, -8.0)])  # a wall of 8 on the right, towards the eye
    taken = occlusion(pixels, step, normals, (60, 60), 10.0, 10.0, 0, 1).reshape(60, 60)[30]
    assert taken[28] > taken[24] > taken[15] == 0
    assert taken[30:50].max() == 0


def test_what_is_behind_the_eye_is_not_seen():
    camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0, distance=5.0)
    picture = render([[0, -8, 0], [0, -5, 0]], [1.0, 0.1], [RED, RED], camera, (40, 40))
    assert not covered(picture).any()


def test_lines_have_the_same_width_at_any_distance():
    camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0, distance=5.0)
    lines = [[[-1, -2, -4], [-1, -2, 4]], [[1, 8, -9], [1, 8, 9]]]
    picture = render(np.zeros((0, 3)), [], np.zeros((0, 3)), camera, (200, 200), lines=lines)
    near, far = covered(picture)[:, :100].sum(axis=1), covered(picture)[:, 100:].sum(axis=1)
    assert set(near) | set(far) <= {1, 2, 3}


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (-1, 0, 0)])
@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_a_camera_around_a_box_has_all_of_it_in_the_picture(up, aspect):
    lower, upper = np.array([0, -1, 2]), np.array([3, 0.5, 2.5])
    camera = Camera.around(lower, upper, up=up, aspect=aspect)
    corners = np.array(np.meshgrid(*np.transpose([lower, upper]))).reshape(3, -1).T
    x, y, z = camera.view(corners).T
    x, y = x / (1 + camera.convergence * z), y / (1 + camera.convergence * z)
    fills = max(np.ptp(x) / (aspect * camera.span), np.ptp(y) / camera.span)
    assert fills == pytest.approx(1 / 1.06, rel=0.01)
    assert abs(x.max() + x.min()) < 0.01 * camera.span
    assert abs(y.max() + y.min()) < 0.01 * camera.span
    assert camera.axes[1] @ up > 0.9


def test_arrays_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="expected \\(n, 3\\), \\(n,\\) and \\(n, 3\\)"):
        render(np.zeros((2, 3)), [1.0], [RED], FRONT)
    with pytest.raises(ValueError, match="looks along"):
        Camera((0, 0, 0), forward=(0, 0, 1), span=1.0)
    with pytest.raises(ValueError, match="must be positive"):
        Camera((0, 0, 0), forward=(0, 1, 0), span=0.0)
