"""Render many spheres and meshes in seconds: depth and normals, light, shadows, ambient occlusion."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dem.plots.figure import check_memory
from dem.plots.rendering.camera import CLOSEST, Camera
from dem.plots.rendering.light import FAR, Light, Shadows, occlusion, occlusion_pixels
from dem.plots.rendering.raster import extent, nearest, nearest_triangles, surface

MAX_SHARE = 0.7  # share of a picture beyond which all of it is drawn
LINE_COLOUR, LINE_RADIUS = (0.35, 0.38, 0.42), 0.7  # radius in pixels
MARGIN = 1  # pixels, for rounding
PIXEL_BYTES, SHADOW_BYTES = 100, 24  # of memory, at least: for each pixel of a picture and of its square map of shadows


class Floor(NamedTuple):
    """A rectangle on which particles stand.

    Parameters
    ----------
    corner : (3,) array
        One of its corners [m].
    edges : (2, 3) array
        Its edges from there, at right angles [m].
    colour : (3,) floats
        Red, green and blue from 0 to 1.

    Examples
    --------
    >>> floor = Floor(np.array([-1.0, -1.0, 0.0]), np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))
    >>> camera = Camera((0, 0, 0), forward=(0, 1, -1), span=4.0)
    >>> seen = render([[0, 0, 0.5]], [0.5], [[1, 0, 0]], camera, size=(40, 40), floor=floor)
    >>> bool(seen[22, 20, 0] < seen[22, 12, 0] < 255)  # darker where the shadow falls
    True
    """

    corner: np.ndarray
    edges: np.ndarray
    colour: tuple[float, float, float] = (0.8, 0.82, 0.85)


class Meshes(NamedTuple):
    """Closed surface meshes with smooth shading.

    Parameters
    ----------
    corners : (m, 3, 3) array
        Corners of triangles, counterclockwise seen from outside [m].
    normals : (m, 3, 3) array
        Outward unit normals there.
    colours : (m, 3) array
        Colours of triangles: red, green and blue from 0 to 1.
    bounds : (n, 4) array
        Centre and radius of a sphere about each body [m].

    Examples
    --------
    >>> import dem
    >>> from dem.plots.rendering.meshes import corner_normals
    >>> vertices, triangles = dem.Ellipsoid(semi_axes=(1.0, 0.5, 0.5)).surface_mesh()
    >>> red, bound = np.tile([1.0, 0.0, 0.0], (len(triangles), 1)), np.array([[0.0, 0.0, 0.0, 1.0]])
    >>> grain = Meshes(vertices[triangles], corner_normals(vertices, triangles), red, bound)
    >>> camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)
    >>> seen = render(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), camera, size=(40, 40), meshes=grain)
    >>> int((seen[20] != 255).any(axis=1).sum()), int((seen[:, 20] != 255).any(axis=1).sum())  # pixels of a tenth
    (20, 10)
    """

    corners: np.ndarray
    normals: np.ndarray
    colours: np.ndarray
    bounds: np.ndarray

    def facing(self, camera: Camera) -> Meshes:
        """Meshes in the camera frame, without triangles that face away from it or are close to the eye."""
        k = camera.convergence
        corners = camera.view(self.corners.reshape(-1, 3)).reshape(-1, 3, 3)
        wide = 1 + k * corners[:, :, 2]
        # its axes are right, up, forward: vector products change their sign
        outward = np.cross(corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
        ray = np.column_stack([k * corners[:, 0, :2] / wide[:, :1], np.ones(len(corners))])
        shown = ((outward * ray).sum(axis=1) < 0) & (wide > CLOSEST).all(axis=1)
        bounds = np.column_stack([camera.view(self.bounds[:, :3]), self.bounds[:, 3]])
        bounds = bounds[1 + k * (bounds[:, 2] - bounds[:, 3]) > CLOSEST]
        return Meshes(corners[shown], self.normals[shown] @ camera.axes.T, self.colours[shown], bounds)


class PictureStyle(NamedTuple):
    """Style of a picture, independent of the scene."""

    light: Light
    background: tuple[float, float, float]
    samples: int  # rays through a pixel, along each direction


class Scene(NamedTuple):
    """Spheres, meshes and floor in the camera frame."""

    spheres: np.ndarray  # centres and radii (n, 4) [m], single precision
    colours: np.ndarray  # (n + 1 + m, 3): of spheres, of the floor, of triangles
    floor: Floor | None
    meshes: Meshes | None  # as far as they face the camera
    k: float  # convergence of the camera [1/m]
    depth: tuple[float, float]  # of the nearest and the farthest [m]
    shadows: Shadows | None
    reach: float  # how far a surface sees others [m]


def render(
    centres: np.ndarray, radii: np.ndarray, colours: np.ndarray, camera: Camera, size: tuple[int, int] = (1200, 900),
    *, light: Light | None = None, floor: Floor | None = None, lines: np.ndarray | None = None,
    background: tuple[float, float, float] = (1, 1, 1), samples: int = 2, meshes: Meshes | None = None,
) -> np.ndarray:  # fmt: skip
    """Render a picture of spheres and of bodies with surface meshes.

    Parameters
    ----------
    centres : (n, 3) array
        Centres of the spheres, world frame [m].
    radii : (n,) array
        Their radii [m].
    colours : (n, 3) array
        Red, green and blue from 0 to 1.
    camera : Camera
        Camera; spheres behind it or next to it are left out.
    size : (2,) ints
        Width and height [pixels].
    light : Light
        Light on the scene.
    floor : Floor
        Floor on which spheres stand and cast shadows.
    lines : (m, 2, 3) array
        Ends of thin dark lines, such as the edges of a box [m].
    background : (3,) floats
        Colour where there is nothing.
    samples : int
        Rays through a pixel, along each direction.
    meshes : Meshes
        Surfaces of other bodies than spheres.

    Returns
    -------
    (height, width, 3) uint8 array
        The picture, rows from the top. The same input gives the same picture.

    Raises
    ------
    ValueError
        If the arrays do not belong together, or the memory is too small for the picture.

    Examples
    --------
    >>> camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)
    >>> picture = render([[0, 0, 0]], [1.0], [[1, 0, 0]], camera, size=(40, 40))
    >>> picture.shape, picture[0, 0].tolist(), bool(picture[20, 20, 0] > picture[20, 20, 1])
    ((40, 40, 3), [255, 255, 255], True)
    """
    centres, radii, colours = (np.asarray(a, float) for a in (centres, radii, colours))
    if centres.shape != (len(radii), 3) or colours.shape != (len(radii), 3) or radii.ndim != 1:
        message = (
            f"centres {centres.shape}, radii {radii.shape} and colours {colours.shape} do not belong together: "
            "expected (n, 3), (n,) and (n, 3)"
        )
        raise ValueError(message)
    light = light or Light()
    width, height = size
    check_memory(width, height, PIXEL_BYTES * width * height + SHADOW_BYTES * max(width, height) ** 2)
    scene = _scene(centres, radii, colours, camera, light, floor, max(size), meshes)
    if lines is not None and len(lines):
        scene = _with_lines(scene, camera, np.asarray(lines, float), camera.span / height)
    rays = camera.pixels(width * samples, height * samples)
    look = PictureStyle(light, tuple(map(float, background)), samples)
    reach = scene.reach if light.occlusion else 0.0
    balls = scene.spheres if scene.meshes is None else np.vstack([scene.spheres, scene.meshes.bounds])
    chosen = changed_pixels(balls, _shadows(scene), scene.k, rays, samples, reach)
    if len(chosen) > MAX_SHARE * width * height:
        return _coloured(scene, rays, look, np.arange(width * height)).reshape(height, width, 3)
    picture = _empty(_in_tuples(scene.floor), scene.k, scene.depth, look, camera.span, size).copy()
    picture.reshape(-1, 3)[chosen] = _coloured(scene, rays, look, chosen)
    return picture


def _shadows(scene: Scene) -> np.ndarray:
    """Corners (m, 4, 3) of rectangles that contain the shadows on the floor."""
    if not (scene.shadows and scene.floor):
        return np.zeros((0, 4, 3))
    return scene.shadows.footprints(scene.floor.corner, scene.floor.edges)


@lru_cache(maxsize=2)  # the pictures of a movie have it in common
def _empty(
    floor: Floor | None, k: float, depth: tuple[float, float], look: PictureStyle, span: float, size: tuple[int, int]
) -> np.ndarray:
    """Picture of the empty floor; all arguments are tuples, as keys of a cache."""
    width, height = size
    colours = np.zeros((0, 3), np.float32)
    if floor:
        floor, colours = Floor(*map(np.array, floor)), np.array([floor.colour], np.float32)
    scene = Scene(np.zeros((0, 4), np.float32), colours, floor, None, k, depth, shadows=None, reach=0.0)
    rays = Camera((0, 0, 0), (0, 1, 0), span).pixels(width * look.samples, height * look.samples)
    return _coloured(scene, rays, look, np.arange(width * height)).reshape(height, width, 3)


def _in_tuples(floor: Floor | None) -> Floor | None:
    """The floor as nested tuples, for a cache."""
    if floor is None:
        return None
    corner, edges, colour = (np.asarray(each, float).tolist() for each in floor)
    return Floor(tuple(corner), tuple(map(tuple, edges)), tuple(colour))


def _coloured(scene: Scene, rays: tuple[np.ndarray, np.ndarray], look: PictureStyle, chosen: np.ndarray) -> np.ndarray:
    """Colours (m, 3) uint8 of selected pixels (m,), given by number."""
    total = np.zeros((len(chosen), 3), np.float32)
    parts = look.samples**2
    for part in range(parts):
        total += _sample(scene, rays, look, chosen, part)
    return np.rint(total * (255 / parts)).astype(np.uint8)


def _scene(
    centres: np.ndarray,
    radii: np.ndarray,
    colours: np.ndarray,
    camera: Camera,
    light: Light,
    floor: Floor | None,
    pixels: int,
    meshes: Meshes | None,
) -> Scene:
    """Transform a scene into the camera frame."""
    seen, k = camera.view(centres), camera.convergence
    before = 1 + k * (seen[:, 2] - radii) > CLOSEST
    seen, radii, colours = seen[before], radii[before], colours[before]
    ends = [seen[:, 2] - radii, seen[:, 2] + radii]
    sizes, cast = radii, {}
    if meshes:
        cast["corners"] = camera.view(meshes.corners.reshape(-1, 3)).reshape(-1, 3, 3)
        meshes = meshes.facing(camera)
        cast["bounds"], sizes = meshes.bounds, np.concatenate([radii, meshes.bounds[:, 3]])
        ends += [meshes.bounds[:, 2] - meshes.bounds[:, 3], meshes.bounds[:, 2] + meshes.bounds[:, 3]]
    if floor:
        a, b = np.asarray(floor.edges, float)
        corner, *others = camera.view(floor.corner + np.array([0 * a, a, b, a + b]))
        floor = floor._replace(corner=corner, edges=np.array(others[:2]) - corner)
        ends.append(np.array([corner, *others])[:, 2])
        colours = np.vstack([colours, floor.colour])
    ends = np.concatenate(ends) if len(np.concatenate(ends)) else np.zeros(1)
    shadows = Shadows(seen, radii, light, pixels, **cast) if light.shadows and len(sizes) else None
    reach = 4 * float(np.median(sizes)) if len(sizes) else 0.0
    spheres = np.column_stack([seen, radii]).astype(np.float32)
    if meshes:
        colours = np.vstack([colours, meshes.colours] if floor else [colours, np.zeros((1, 3)), meshes.colours])
    return Scene(spheres, colours.astype(np.float32), floor, meshes, k, (ends.min(), ends.max()), shadows, reach)


def _with_lines(scene: Scene, camera: Camera, lines: np.ndarray, pitch: float) -> Scene:
    """Add lines as rows of spheres, one pixel apart and little wider."""
    ends = camera.view(lines.reshape(-1, 3)).reshape(-1, 2, 3)
    share = np.linspace(0, 1, math.ceil(float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()) / pitch))
    points = (ends[:, :1] + share[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 3)
    wide = 1 + scene.k * points[:, 2]
    drawn = np.column_stack([points, LINE_RADIUS * pitch * wide])[wide > CLOSEST].astype(np.float32)
    colours = np.insert(scene.colours, len(scene.spheres), np.tile(LINE_COLOUR, (len(drawn), 1)), axis=0)
    return scene._replace(spheres=np.vstack([scene.spheres, drawn]), colours=colours.astype(np.float32))


def _sample(
    scene: Scene, rays: tuple[np.ndarray, np.ndarray], look: PictureStyle, chosen: np.ndarray, part: int
) -> np.ndarray:
    """Colours (m, 3) of selected pixels from one ray through each."""
    light, samples = look.light, look.samples
    columns, rows = rays[0][part % samples :: samples], rays[1][part // samples :: samples]
    seen = nearest(scene.spheres[:, :3].astype(float), scene.spheres[:, 3].astype(float), scene.k, columns, rows)
    x, y = columns.astype(np.float32)[chosen % len(columns)], rows.astype(np.float32)[chosen // len(columns)]
    number = seen.ravel()[chosen]
    points, normals = np.full((len(number), 3), FAR), np.zeros((len(number), 3), np.float32)
    hit = np.flatnonzero(number >= 0)
    points[hit], normals[hit] = surface(scene.spheres[number[hit]], np.float32(scene.k), x[hit], y[hit])
    if scene.floor:
        _draw_floor(scene, x, y, number, points, normals)
    if scene.meshes:
        _draw_meshes(scene, (columns, rows), chosen, number, points, normals)
    if scene.floor or scene.meshes:
        hit = np.flatnonzero(number >= 0)
    points, normals, x, y = points[hit], normals[hit], x[hit], y[hit]
    parts = samples**2
    taken = np.zeros(len(hit), np.float32)
    if light.occlusion and scene.reach:
        far = occlusion_pixels(scene.reach, columns)
        taken = occlusion(chosen[hit], points, normals, seen.shape, scene.reach, far, part, parts)
    falls = scene.shadows.light(points, part, parts) if scene.shadows else np.ones(len(hit), np.float32)
    colour = _shade(scene, light, (points, normals, x, y), number[hit], falls, 1 / (1 + light.occlusion * 2 * taken))
    near, far = scene.depth
    lost = light.haze * ((points[:, 2] - near) / max(far - near, 1e-30)).clip(0, 1)[:, None]
    background = np.array(look.background, np.float32)
    picture = np.tile(background, (len(number), 1))
    picture[hit] = ((1 - lost) * colour + lost * background).clip(0, 1)
    return picture


def _draw_floor(
    scene: Scene, x: np.ndarray, y: np.ndarray, number: np.ndarray, points: np.ndarray, normals: np.ndarray
) -> None:
    """Draw the floor where it is nearer than the surfaces so far."""
    corner, edges = (a.astype(np.float32) for a in (scene.floor.corner, scene.floor.edges))
    normal = np.cross(*edges)
    normal /= np.linalg.norm(normal)
    k = np.float32(scene.k)
    towards = normal[0] * k * x + normal[1] * k * y + normal[2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # rays along the floor
        z = (normal @ corner - normal[0] * x - normal[1] * y) / towards
        ahead = np.flatnonzero((z < points[:, 2]) & (1 + k * z > CLOSEST))
    x, y, z = x[ahead], y[ahead], z[ahead]
    place = np.column_stack([x * (1 + k * z), y * (1 + k * z), z])
    inside = np.ones(len(ahead), bool)
    for edge in edges:
        along = ((place - corner) * (edge / (edge @ edge))).sum(axis=1)
        inside &= (along >= 0) & (along <= 1)
    seen = ahead[inside]
    number[seen], points[seen] = len(scene.spheres), place[inside]
    normals[seen] = -normal * np.sign(towards[seen])[:, None]


def _draw_meshes(
    scene: Scene, rays: tuple[np.ndarray, np.ndarray], chosen: np.ndarray,
    number: np.ndarray, points: np.ndarray, normals: np.ndarray,
) -> None:  # fmt: skip
    """Draw triangles where they are nearer than the surfaces so far, with normals interpolated from the corners."""
    columns, rows = rays
    found, depth = nearest_triangles(scene.meshes.corners, scene.k, columns, rows)
    found, depth = found[chosen], depth[chosen]
    seen = np.flatnonzero((found >= 0) & (depth < points[:, 2]))
    z, at = depth[seen], chosen[seen]
    wide = 1 + scene.k * z
    place = np.column_stack([columns[at % len(columns)] * wide, rows[at // len(columns)] * wide, z])
    a, b, c = scene.meshes.corners[found[seen]].transpose(1, 0, 2)
    u, v, w = b - a, c - a, place - a
    uu, uv, vv = ((p * q).sum(axis=1) for p, q in ((u, u), (u, v), (v, v)))
    wu, wv = (w * u).sum(axis=1), (w * v).sum(axis=1)
    whole = np.maximum(uu * vv - uv * uv, 1e-300)
    share = np.column_stack([(vv * wu - uv * wv) / whole, (uu * wv - uv * wu) / whole]).clip(0, 1)
    share = np.column_stack([(1 - share.sum(axis=1)).clip(0, 1), share])
    normal = (share[:, :, None] * scene.meshes.normals[found[seen]]).sum(axis=1)
    number[seen], points[seen] = len(scene.spheres) + 1 + found[seen], place
    normals[seen] = normal / np.linalg.norm(normal, axis=1)[:, None]


def _shade(
    scene: Scene, light: Light, seen: tuple, number: np.ndarray, falls: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Shaded colours (m, 3) of surfaces, see `Light`."""
    _, normals, x, y = seen
    towards = light.towards.astype(np.float32)
    eye = -np.column_stack([scene.k * x, scene.k * y, np.ones_like(x)]).astype(np.float32)
    eye /= np.linalg.norm(eye, axis=1)[:, None]
    half = towards + eye
    half /= np.linalg.norm(half, axis=1)[:, None]
    dull = light.ambient * free * (0.75 + 0.25 * normals[:, 1]) + light.fill * (normals * eye).sum(axis=1)
    dull += light.diffuse * falls * np.maximum((normals * towards).sum(axis=1), 0)  # as BLAS would not: row by row
    shining = np.maximum((normals * half).sum(axis=1), 0) ** light.shininess * falls * (number != len(scene.spheres))
    return scene.colours[number] * dull[:, None] + light.specular * shining[:, None]


def changed_pixels(
    spheres: np.ndarray, shadows: np.ndarray, k: float, rays: tuple[np.ndarray, np.ndarray], samples: int, reach: float
) -> np.ndarray:
    """Numbers (m,) of the pixels that may differ from an empty scene, row by row; only these are drawn.

    These show a sphere, a surface near a sphere, or a shadow on the floor. All is in the frame of the camera.

    spheres: (n, 4) centres and radii [m].
    shadows: (m, 4, 3) corners that enclose the shadows on the floor [m].
    k: convergence of the camera [1/m].
    rays: (width * samples,), (height * samples,) columns and rows of rays in the plane of the target [m].
    reach: distance up to which spheres darken surfaces, 0 if they do not [m].
    """
    shape = (len(rays[1]) // samples, len(rays[0]) // samples)
    centres, radii = spheres[:, :3].astype(float), spheres[:, 3].astype(float)
    extents = [extent(centres[:, axis], centres[:, 2], radii, k, rays[axis]) for axis in (1, 0)]
    first, count = np.array(extents).swapaxes(0, 1)
    visible = (count > 0).all(axis=0)
    low, high = first[:, visible] // samples, (first + count - 1)[:, visible] // samples
    wide = math.ceil(occlusion_pixels(reach, rays[0][::samples])) if reach else 0
    ends = zip((low - MARGIN - wide, high + MARGIN + wide), _pixel_boxes(shadows, k, rays, samples, shape), strict=True)
    return _pixels_in_boxes(*(np.concatenate(each, axis=1) for each in ends), shape)


def _pixel_boxes(
    corners: np.ndarray, k: float, rays: tuple[np.ndarray, np.ndarray], samples: int, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last row and column (2, n) of quadrilaterals (n, 4, 3); the whole picture if close to the eye."""
    wide = 1 + k * corners[..., 2]
    first, pitch = zip(*((at[0], at[1] - at[0] if len(at) > 1 else 1.0) for at in rays), strict=True)
    with np.errstate(all="ignore"):
        places = [(corners[..., axis] / wide - first[axis]) / pitch[axis] for axis in (1, 0)]
    clear = (wide > CLOSEST).all(axis=1) & np.isfinite(places).all(axis=(0, 2))
    ends = []
    for place, length in zip(places, shape, strict=True):
        pixel = np.where(clear[:, None], place / samples, (0, 0, length, length)).clip(-2, length + 1)
        ends.append((pixel.min(axis=1) - MARGIN, pixel.max(axis=1) + MARGIN))
    low, high = np.array(ends).swapaxes(0, 1)
    return np.floor(low).astype(int), np.ceil(high).astype(int)


def _pixels_in_boxes(low: np.ndarray, high: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Numbers of the pixels in boxes, given by first and last row and column (2, n)."""
    height, width = shape
    (top, left), (bottom, right) = low.clip(0), np.minimum(high + 1, np.array([[height], [width]]))
    there = (top < bottom) & (left < right)
    top, left, bottom, right = (side[there] for side in (top, left, bottom, right))
    begins = np.concatenate([top * (width + 1) + left, bottom * (width + 1) + right])
    ends = np.concatenate([top * (width + 1) + right, bottom * (width + 1) + left])
    size = (height + 1) * (width + 1)
    count = np.bincount(begins, minlength=size) - np.bincount(ends, minlength=size)
    covered = count.reshape(height + 1, width + 1).cumsum(axis=0).cumsum(axis=1)[:height, :width] > 0
    return np.flatnonzero(covered)
