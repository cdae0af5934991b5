"""Mesh files: valid and invalid ones, and repairs."""

import math
import re
import struct

import numpy as np
import pytest

import dem
from dem.base import progress
from dem.model.walls import mesh_builders, stl, welding
from dem.model.walls.surfaces import surface_of

STEEL = dem.Material(young=2e8, poisson=0.3, name="steel")
BOX = mesh_builders.box((0, 0, 0), (1, 2, 3))


def ascii_stl(vertices, triangles, number="{:.9g}"):
    """Text of an STL file."""
    lines = ["solid a box"]
    for t in triangles:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex " + " ".join(number.format(c) for c in vertices[v]) for v in t]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid a box\n"]).encode()


def binary_stl(vertices, triangles, head=b"solid of some program", count=None):
    """Bytes of an STL file, whose head may begin as that of a text does."""
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[t].ravel(), 0) for t in triangles)
    return head.ljust(80) + struct.pack("<I", len(triangles) if count is None else count) + body


def written(folder, data, name="box.stl"):
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize("data", [ascii_stl(*BOX), binary_stl(*BOX), ascii_stl(*BOX).replace(b"\n", b"\r\n").upper()])
def test_files_of_both_kinds_are_read(data, tmp_path):
    """Also a binary one that begins by solid, and text in capitals; three corners each, welded to eight."""
    mesh = dem.Mesh.from_file(written(tmp_path, data), material=STEEL, scale=1e-3, name="tray")
    assert (len(mesh.vertices), len(mesh.triangles)) == (8, 12)
    assert mesh.vertices.max(axis=0) == pytest.approx([1e-3, 2e-3, 3e-3], rel=1e-15)
    report = mesh.report
    assert (report.area, abs(report.volume)) == pytest.approx((22e-6, 6e-9))
    assert (report.welded, report.degenerate, report.duplicate) == (0, 0, 0)
    assert str(report).startswith("12 triangles, 8 vertices, 0.001 x 0.002 x 0.003 m from (0, 0, 0) m")
    assert repr(mesh).startswith("Mesh(12 triangles, 0.001 x 0.002 x 0.003 m, material=Material(")


PLAIN = ascii_stl(*BOX)


@pytest.mark.parametrize(
    "data",
    [
        ascii_stl(*BOX, number="{:.40e}"),  # 46 characters, the exponent last
        ascii_stl(*BOX, number="{:.20000f}"),
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.decode().encode("utf-16"),
        *(PLAIN.replace(b"a box", name) for name in (b"facet normal test", b"endfacet vertex 1 2 3", b"", b"endsolid")),
        PLAIN.replace(b"\n", b"\r"),
        PLAIN.replace(b"\n", b" "),
        PLAIN + PLAIN.replace(b"0 2 3", b"0 2 3 ").replace(b"a box", b"the same again"),
        binary_stl(*BOX, head=b"\xff\xfe of some program"),
        binary_stl(*BOX) + b"\r\n",
        binary_stl(*BOX).ljust(1024, b"\0"),
    ],
    ids=[
        "digits", "more digits", "mark", "utf-16", "name facet", "name vertex", "no name", "name end", "cr", "line",
        "two solids", "binary like utf-16", "two bytes more", "padded",
    ],
)  # fmt: skip
def test_files_as_programs_write_them(data, tmp_path):
    """Numbers of any length, byte-order marks, names made of the format's own words, and bytes behind the end."""
    mesh = dem.Mesh.from_file(written(tmp_path, data), material=STEEL)
    assert mesh.report.upper.tolist() == [1, 2, 3]
    assert mesh.report.volume == pytest.approx(6)


def test_what_is_written_is_read(tmp_path):
    """Single precision in the file; nobody's file is replaced."""
    blade = dem.Mesh.blades(0.04, 0.02, count=3, material=STEEL)
    blade.write(tmp_path / "blade.stl")
    again = dem.Mesh.from_file(tmp_path / "blade.stl", material=STEEL)
    assert again.triangles.shape == blade.triangles.shape
    corners = [mesh.vertices[mesh.triangles] for mesh in (again, blade)]
    assert corners[0] == pytest.approx(corners[1], abs=0.04 * 2**-23)
    with pytest.raises(OSError, match="no folder"):
        blade.write(tmp_path / "nowhere" / "blade.stl")


def cut(data, by=30):
    return data[:-by]


NAN = (np.where(BOX[0] == 3, math.nan, BOX[0]), BOX[1])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no STL file: it has 0 bytes, the shortest have 84"),
        (
            b"\x89PNG\r\n\x1a\n" + bytes(200),
            "says that it has 0 triangles, but is as long as 2: 124 bytes follow these, so its count",
        ),
        (cut(binary_stl(*BOX)), "says that it has 12 triangles, but is as long as 11: it is cut off"),
        (binary_stl(*BOX, count=2**31), "says that it has 2147483648 triangles"),
        (binary_stl(*BOX, count=5), "says that it has 5 triangles, but is as long as 12: 350 bytes follow these"),
        (binary_stl(*BOX, count=0), "says that it has 0 triangles, but is as long as 12: 600 bytes follow these"),
        (cut(ascii_stl(*BOX), 15), "has 12 whole facets, and endsolid is missing: it is cut off"),
        (cut(ascii_stl(*BOX), 100), "has 11 whole facets, and 'facet normal 0 0 0' belongs to no whole one"),
        (b"solid text that is no mesh\nendsolid", "is a mesh without triangles"),
        (b"solid text without an end", "has 0 whole facets, and endsolid is missing"),
        (binary_stl(np.zeros((0, 3)), []), "is a mesh without triangles"),
        (binary_stl(*NAN), "has corners that are not finite in 10 triangles, the first in 0"),
        (ascii_stl(*NAN), "has corners that are not finite in 10 triangles"),
        (ascii_stl(*BOX).replace(b"vertex 0 0 0", b"vertex 0 O 0"), "has a vertex that is no number"),
        (binary_stl(np.zeros((8, 3)), BOX[1]), "no triangle of 12 has an area"),
    ],
)
def test_files_that_are_no_mesh(data, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        dem.Mesh.from_file(written(tmp_path, data), material=STEEL)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*drum\.stl"):
        dem.Mesh.from_file(tmp_path / "drum.stl", material=STEEL)
    with pytest.raises(ValueError, match="scale is 0 m, expected a finite number above 0"):
        dem.Mesh.from_file(written(tmp_path, binary_stl(*BOX)), material=STEEL, scale=0)


def test_other_formats_by_trimesh(tmp_path):
    """With the library; without it, what to install."""
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in BOX[0]) + "".join(f"f {a} {b} {c}\n" for a, b, c in BOX[1] + 1)
    path = written(tmp_path, text.encode(), "box.obj")
    try:
        import trimesh  # noqa: F401, PLC0415, whether it is there
    except ImportError:
        with pytest.raises(ImportError, match=re.escape("needs trimesh, which is not installed: pip install")):
            dem.Mesh.from_file(path, material=STEEL)
        return
    assert dem.Mesh.from_file(path, material=STEEL).report.volume == pytest.approx(6)
    with pytest.raises(ValueError, match=r"bad\.obj"):
        dem.Mesh.from_file(written(tmp_path, b"no mesh", "bad.obj"), material=STEEL)


@pytest.mark.parametrize(
    ("vertices", "triangles", "said"),
    [
        ([(0, 0, 0), (1, 0, 0)], [(0, 1, 2)], r"vertices has shape \(2, 3\), expected \(N, 3\) with N = 3"),
        ([(0, 0, 0), (1, 0, 0), (0, math.nan, 0)], [(0, 1, 2)], "vertices is not finite in 1 place"),
        (BOX[0], [(0, 1, 8)], r"triangle 0 has vertices \[0, 1, 8\], expected numbers from 0 to 7"),
        (BOX[0], [(0, 1, -1)], "expected numbers from 0 to 7"),
        (BOX[0], [(0, 1, 2, 3)], r"triangles has shape \(1, 4\)"),
        (BOX[0], [(0.0, 1.0, 2.0)], "of float64, expected"),
        (BOX[0], [], "triangles has shape"),
        (BOX[0], [(0, 1, 1)], "no triangle of 1 has an area"),
    ],
)
def test_arrays_that_are_no_mesh(vertices, triangles, said):
    with pytest.raises(ValueError, match=said):
        dem.Mesh(vertices, triangles, material=STEEL)


@pytest.mark.parametrize("points", [[0.1, 0.2], [(0.1, 0.0)], [(0.1, 0.0, 0.0), (0.1, 0.2, 0.0)]])
def test_points_that_are_no_profile_are_refused(points):
    with pytest.raises(
        ValueError, match=r"points has shape .*, expected \(N, 2\) with N = 2: \(r, z\) of the polyline"
    ):
        dem.Mesh.turned(points, material=STEEL)


def test_a_single_triangle_is_described_in_the_singular():
    mesh = dem.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], material=STEEL)
    assert repr(mesh).startswith("Mesh(1 triangle, 1 x 1 x 0 m")


def test_vertices_are_welded_within_a_millionth():
    """Of the diagonal, across whatever borders; those farther apart are not."""
    rng = np.random.default_rng(1)
    vertices, triangles = BOX
    diagonal = math.sqrt(14)
    soup = vertices[triangles].reshape(-1, 3)
    for share, found in ((0.2e-6, 8), (20e-6, 36)):
        step = rng.normal(size=soup.shape)
        moved = soup + share * diagonal * step / np.linalg.norm(step, axis=1)[:, None]
        surface = surface_of(moved, np.arange(36).reshape(-1, 3))
        assert len(surface.vertices) == found
        assert surface.report.welded == 36 - found
    assert surface_of(moved, np.arange(36).reshape(-1, 3)).report.tolerance == pytest.approx(1e-6 * diagonal, rel=1e-3)


def test_what_is_wrong_is_put_right_and_told():
    """Triangles without area, second copies, a vertex on an edge of another, and an edge of three triangles."""
    vertices = np.array(
        [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (2, 1, 0), (4, 0, 0), (4, 2, 0), (9, 9, 9), (0, 0, 2)]
    )
    square = [(0, 1, 2), (0, 2, 3)]
    beside = [(1, 5, 4), (4, 5, 6), (4, 6, 2)]  # whose corner 4 is amid the edge from 1 to 2
    fin, copy, line = [(0, 3, 8)], [(2, 1, 0)], [(0, 4, 4), (1, 4, 2)]
    surface = surface_of(vertices.astype(float), np.array(square + beside + fin + copy + line))
    report = surface.report
    assert (report.triangles, report.vertices, report.degenerate, report.duplicate) == (7, 8, 2, 1)
    assert report.junctions.tolist() == [[2, 1, 0]]
    assert report.area == pytest.approx(8 + 2)
    assert report.volume is None
    more = surface_of(vertices.astype(float), np.array([*square, (0, 8, 2)])).report
    assert more.branches.tolist() == [[1, 1, 0]]
    for said in (
        "1 vertices on edges of others, which were divided there, at (2, 1, 0) m",
        "open: ",
        "2 triangles without",
    ):
        assert said in str(report)
    assert "1 edges of three triangles or more, at (1, 1, 0) m" in str(more)
    again = surface_of(surface.vertices, surface.triangles)
    assert np.array_equal(again.vertices, surface.vertices)
    assert np.array_equal(again.triangles, surface.triangles)


@pytest.mark.parametrize("size", [1, 300, 1000])
def test_text_is_read_in_portions(size, monkeypatch, tmp_path):
    """Of any size, with the same numbers and the same complaints as in one piece."""
    vertices, triangles = mesh_builders.turned([(0.1, 0), (0.1, 0.3)], segments=7)
    text = ascii_stl(vertices, triangles, "{:.17g}")
    whole, _ = stl.read_triangles(written(tmp_path, text))
    monkeypatch.setattr(stl, "PORTION", size)
    again, _ = stl.read_triangles(written(tmp_path, text))
    assert whole.tobytes() == again.tobytes() == vertices[triangles].tobytes()
    with pytest.raises(ValueError, match="has 13 whole facets, and 'facet normal 0 0 0' belongs to no whole one"):
        stl.read_triangles(written(tmp_path, cut(text, 100)))


def test_bars_show_how_far_long_work_has_come(monkeypatch, tmp_path):
    """Reading text, welding, and looking for vertices on edges; to their ends, and none where it is quick."""
    shown = []

    class Recorded:
        def show(self, done, pace, left):
            shown.append((done, pace))

        def close(self):
            shown.append("closed")

    monkeypatch.setattr(progress, "kind_of_bar", lambda: Recorded)
    path = written(tmp_path, ascii_stl(*mesh_builders.turned([(0.1, 0), (0.1, 0.3)], segments=7)))
    monkeypatch.setattr(progress, "PATIENCE", 1e9)
    dem.Mesh.from_file(path, material=STEEL)
    assert shown == []
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    dem.Mesh.from_file(path, material=STEEL)
    assert shown[:2] == [(1.0, "14 facets read"), "closed"]
    for words in ("welding 14 triangles", "14 open edges compared"):
        told = [each for each in shown if words in each]
        assert told[-1][0] == 1.0
    assert shown[-1] == "closed"


def test_the_volume_does_not_depend_on_winding():
    """Any triangles turned round are named; a hollow, wound the other way as a whole, stays one."""
    rng = np.random.default_rng(5)
    vertices, triangles = BOX
    for turned in (np.arange(12) % 2 == 0, *(rng.random((9, 12)) < 0.5)):
        report = surface_of(vertices, np.where(turned[:, None], triangles[:, ::-1], triangles)).report
        assert abs(report.volume) == pytest.approx(6)
        assert report.against == min(turned.sum(), 12 - turned.sum())
        assert f"{report.against} triangles wound against their neighbours" in str(report) or not report.against
    hollow = np.concatenate([triangles, 8 + triangles[:, ::-1]])
    hollow[[3, 20]] = hollow[[3, 20], ::-1]
    report = surface_of(np.concatenate([vertices, 0.25 + 0.5 * vertices]), hollow).report
    assert (abs(report.volume), report.against) == (pytest.approx(6 - 6 / 8), 2)


def test_a_partition_leaves_no_one_volume():
    """Two tetrahedra and the face between them: its edges are of three triangles, which no winding suits."""
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)])
    faces = np.array([(0, 1, 2), *((a, b, c) for c in (3, 4) for a, b in ((0, 1), (1, 2), (2, 0)))])
    report = surface_of(corners, faces).report
    assert report.volume is None
    assert "closed, but no one volume" in str(report)


def all_pairs(vertices, start, end, tolerance):
    """Which vertices lie on which edges but not at their ends: each with each."""
    a, along = vertices[start][:, None], (vertices[end] - vertices[start])[:, None]
    length = np.linalg.norm(along, axis=2)
    s = ((vertices[None] - a) * along).sum(axis=2) / length
    off = np.linalg.norm(vertices[None] - a - (s / length)[..., None] * along, axis=2)
    return set(zip(*np.nonzero((off <= tolerance) & (s > tolerance) & (s < length - tolerance)), strict=True))


@pytest.mark.parametrize("kind", ["cloud", "flat", "fan", "clusters"])
def test_vertices_on_edges_are_found_as_by_comparing_all(kind):
    """In space, in a plane, on long edges to one corner, and where some edges are a thousand times longer."""
    rng = np.random.default_rng(3)
    place = rng.random((400, 3))
    if kind == "flat":
        place[:, 2] = 0.25
    elif kind == "fan":
        place[1:] = [1, 0, 0] + place[1:] * [0, 1, 1e-3]
        place[0] = 0
    elif kind == "clusters":
        place[:300] *= 1e-3
    start, end = rng.integers(0, 400, (2, 300))
    start, end = (np.zeros(300, int), np.arange(1, 301)) if kind == "fan" else (start[start != end], end[start != end])
    on = place[start[:150]] + rng.uniform(0.01, 0.99, (len(start[:150]), 1)) * (place[end] - place[start])[:150]
    vertices = np.concatenate([place, on])
    ends = np.arange(400, len(vertices) - 1)  # edges among these too, so that all are vertices of rims
    start, end = np.concatenate([start, ends]), np.concatenate([end, ends + 1])
    found = set(
        zip(*(each.tolist() for each in welding._vertices_on_open_edges(vertices, start, end, 1e-6)), strict=True)
    )
    rims = set(start) | set(end)
    assert found == {(e, v) for e, v in all_pairs(vertices, start, end, 1e-6) if v in rims}
    assert len(found) >= 100


def test_work_on_open_edges_grows_as_their_number(monkeypatch):
    """Pairs of an edge and a box or vertex that are looked at: a like number for each edge of strips of any number."""
    looked = []

    def counting(name):
        done = getattr(welding, name)
        monkeypatch.setattr(
            welding,
            name,
            lambda *given: looked.append(len(given[0 if name == "_intersects_box" else 1])) or done(*given),
        )

    counting("_intersects_box")
    counting("_is_on")
    each = []
    for strips in (10, 40, 160):
        looked.clear()
        x = np.arange(strips) / strips  # strips a hundred times longer than wide or more, with gaps between them
        corners = [(x, 0 * x), (x + 0.5 / strips, 0 * x), (x, 0 * x + 1)]
        soup = np.stack([np.column_stack([*corner, 0 * x]) for corner in corners], axis=1)
        surface_of(soup.reshape(-1, 3), np.arange(3 * strips).reshape(-1, 3))
        each.append(sum(looked) / strips)
    assert each[2] < 1.5 * each[1] < 2.5 * each[0]


def test_connected_numbers_agree_with_a_walk():
    """Least number of each part, and whether it is unlike it, against looking through all pairs again and again."""
    rng = np.random.default_rng(8)
    for count, pairs in ((1, 0), (50, 30), (300, 290), (300, 900)):
        side = rng.random(count) < 0.5
        one, other = rng.integers(0, count, (2, pairs))
        root, turned = welding.components(count, one, other, side[one] != side[other])
        expected = np.arange(count)
        for _ in range(count):
            for a, b in zip(one, other, strict=True):
                expected[a] = expected[b] = min(expected[a], expected[b])
        assert root.tolist() == expected.tolist()
        assert (turned == (side != side[root])).all()


def test_a_mesh_goes_through_a_recipe():
    """Arrays apart, as files keep it; equal only to what is the same."""
    mesh = dem.Mesh.screw(0.05, 0.04, 0.1, shaft=0.01, material=STEEL, motion=dem.Motion(rate=3.0), name="screw")
    assert set(mesh.saved()) == {"material", "motion", "name"}
    again = dem.Mesh(**mesh.saved(), **{name: getattr(mesh, name) for name in mesh.ARRAYS})
    assert again == mesh
    assert hash(again) == hash(mesh)
    assert again != dem.Mesh.screw(
        0.05, 0.04, 0.1, shaft=0.011, material=STEEL, motion=dem.Motion(rate=3.0), name="screw"
    )
    assert mesh != "a mesh"


def test_meshes_made_in_code():
    """Area of a screw by its closed form, to 1e-3; a drum and a box are closed, and as large as they are."""
    a, b, pitch = 0.01, 0.05, 0.04
    c = pitch / (2 * math.pi)

    def half(r):
        return 0.5 * (r * math.hypot(r, c) + c**2 * math.asinh(r / c))

    area = 2.5 * 2 * math.pi * (half(b) - half(a))
    screw = surface_of(*mesh_builders.screw(b, pitch, 2.5 * pitch, shaft=a, segments=100, rows=20)).report
    assert screw.area == pytest.approx(area, rel=1e-3)
    n = 60
    drum = surface_of(*mesh_builders.turned([(0, 0), (0.1, 0), (0.1, 0.06), (0, 0.06)], segments=n)).report
    assert abs(drum.volume) == pytest.approx(0.06 * 0.5 * n * 0.1**2 * math.sin(2 * math.pi / n))
    assert not len(drum.junctions)
