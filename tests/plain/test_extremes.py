"""Public constructors accept any argument, or name the wrong one in a ValueError or TypeError."""

import inspect
import warnings

import numpy as np
import pytest

import dem
from dem.base import checks, units
from dem.base.text import shown

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
BALL = dem.Sphere(diameter=0.01)
BLOCK = dem.Block((0, 0, 0), (0.1, 0.1, 0.1))
WALLED = {"material": STUFF}
CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
X, Y, Z, ORIGIN = (1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0), (0.0, 0.0, 0.0)
EXAMPLES = {  # of arguments that go together, all that are worth spoiling
    "ABCFlow": {"a": 0.1, "b": 0.2, "c": 0.3, "wavenumber": 3.0},
    "Ball": {"centre": ORIGIN, "radius": 0.1, **WALLED},
    "Block": {"lower": ORIGIN, "upper": (0.1, 0.1, 0.1), **WALLED},
    "Bonds": {"pairs": [(0, 1)], "diameter": 1e-3, "young": 1e8, "poisson": 0.3, "damping": 0.1, "strength": 1e6,
              "shear_strength": 1e6},
    "Box": {"lower": ORIGIN, "upper": (0.1, 0.1, 0.1), "material": STUFF, "periodic": ["x"], "roughness": 0.1,
            "seed": 1, "open": ["z+"]},
    "Bridge": {"volume": 1e-12, "tension": 0.07, "angle": 0.1},
    "Capsule": {"diameter": 0.01, "aspect_ratio": 3.0},
    "Cell": {"edges": (0.1, 0.1, 0.1), "rate": (0.0, 0.0, -0.5),
             "stress": [[1e5, None, None], [None, 1e5, None], [None, None, None]], "gain": 1e-6, "fastest": 1.0},
    "Cells": {"number": (2, 2, 2), "lower": ORIGIN, "upper": (1.0, 1.0, 1.0), "every": 3},
    "ChannelFlow": {"peak": 0.1, "half_gap": 0.1, "direction": "x", "normal": Z, "centre": ORIGIN},
    "Clump": {"offsets": [[0, 0, 0], [0.01, 0, 0]], "radii": [0.01, 0.008]},
    "Cone": {"start": ORIGIN, "end": (0, 0, 0.1), "start_radius": 0.1, "end_radius": 0.05, **WALLED},
    "Contact": {"restitution": 0.5, "friction": 0.3},
    "Contacts": {"table": {(STUFF, STUFF): dem.Contact()}, "rule": "geometric", "damped": "independent"},
    "Cylinder": {"start": ORIGIN, "end": (0, 0, 0.1), "radius": 0.1, **WALLED},
    "DMT": {"work": 0.05},
    "Dashpot": {"coefficient": 0.1},
    "Disc": {"centre": ORIGIN, "normal": Z, "radius": 0.1, **WALLED},
    "Ellipsoid": {"semi_axes": (0.003, 0.002, 0.001), "contact_radius": 0.002},
    "Fibre": {"diameter": 0.01, "aspect_ratio": 3.0, "spheres": 3},
    "FibreSegment": {"diameter": 0.01, "length": 0.03, "axis": 0.03},
    "FlexibleFibre": {"diameter": 1e-3, "length": 2e-2, "segments": 5, "young": 1e8, "poisson": 0.3, "damping": 0.1,
                      "strength": 1e6, "shear_strength": 1e6, "curvature": 1.0},
    "Fluid": {"density": 1000.0, "viscosity": 1e-3, "velocity": (0.1, 0, 0), "every": 2},
    "RigidWall": {"mass": 1.0, "centre": ORIGIN, "inertia": (1.0, 1.0, 1.0), "pivot": ORIGIN, "locked": (), "force": X,
                  "angular_velocity": X},
    "Convection": {"temperature": 300.0, "conductivity": 0.026, "heat_capacity": 1005.0, "law": "gunn", "voidage": 0.4},
    "Heat": {"every": 2, "time_factor": 2.0, "gas_conductivity": 0.026},
    "Hertz": {},
    "Radiation": {"temperature": 300.0, "emissivity": 0.9, "exposed_share": 0.5},
    "EEPA": {"plasticity": 0.4, "surface_energy": 0.1, "adhesive_exponent": 2.0, "stiffness": 1e5, "tangential": 0.3},
    "Hysteretic": {"loading": 1000.0, "unloading": 1500.0, "cohesion": 300.0, "depth": 0.02, "tangential": 0.3},
    "Inserter": {"shape": BALL, "material": STUFF, "region": BLOCK, "number": 5, "rate": 10.0, "start": 0.0,
                 "velocity": X, "spread": 0.1, "orientation": (1.0, 0, 0, 0), "angular_velocity": X, "seed": 1},
    "JKR": {"work": 0.05},
    "Linear": {"stiffness": 1e3, "tangential": 0.3},
    "ListedSizes": {"diameters": (1e-3, 2e-3), "shares": (0.5, 0.5)},
    "LogNormalSizes": {"median": 1e-3, "geometric_deviation": 1.5, "lower": 5e-4, "upper": 2e-3},
    "Lubrication": {"roughness": 1e-6, "reach": 0.1},
    "Material": {"young": 5e6, "poisson": 0.3, "density": 2500.0, "restitution": 0.5, "friction": 0.3, "name": "glass"},
    "Mesh": {"vertices": CORNERS, "triangles": [[0, 1, 2], [0, 2, 3]], **WALLED},
    "Motion": {"velocity": X, "amplitude": X, "frequency": 3.0, "phase": 0.1, "axis": Z, "centre": ORIGIN, "rate": 1.0,
               "start": 0.0},
    "NormalSizes": {"mean": 2e-3, "deviation": 2e-4, "lower": 1.4e-3, "upper": 2.6e-3},
    "Outlet": {"region": BLOCK, "every": 10},
    "PID": {"force": 1.0, "axis": Z, "proportional": 1.0, "integral": 1.0, "derivative": 1.0, "fastest": 1.0},
    "Particles": {"shape": BALL, "material": STUFF, "position": [[0, 0, 0.1]], "velocity": [[0, 0, 1.0]],
                  "orientation": [[1.0, 0, 0, 0]], "angular_velocity": [[0, 0, 1.0]]},
    "PipeFlow": {"peak": 0.1, "radius": 0.1, "direction": X, "centre": ORIGIN},
    "Plane": {"point": ORIGIN, "normal": Z, **WALLED},
    "Polyhedron": {"vertices": CORNERS, "rounding": 0.002, "contact_radius": 0.02},
    "PowerLaw": {"stiffness": 1e8, "exponent": 2.0, "tangential": 0.3},
    "Rectangle": {"centre": ORIGIN, "edge": X, "other_edge": Y, **WALLED},
    "Revolution": {"points": [(0.1, 0.0), (0.2, 0.1)], "origin": ORIGIN, "axis": Z, **WALLED},
    "CapsuleWall": {"start": ORIGIN, "end": (0, 0, 0.1), "radius": 0.01, **WALLED},
    "Rolling": {"friction": 0.1, "stiffness": 1.0, "damping": 0.3},
    "RosinRammlerSizes": {"scale": 1e-3, "exponent": 2.0, "lower": 1e-5, "upper": 3e-3},
    "RotatingFlow": {"angular_velocity": Z, "centre": ORIGIN},
    "Servo": {"force": 1.0, "axis": Z, "gain": 1.0, "fastest": 1.0},
    "CellFlow": {},
    "ShearFlow": {"rate": 1.0, "direction": X, "gradient": Z, "centre": ORIGIN, "velocity": X},
    "RoundedCylinder": {"diameter": 0.01, "length": 0.004, "rounding": 0.001, "contact_radius": 0.002},
    "SieveSizes": {"apertures": (1e-3, 2e-3, 4e-3), "shares": (0.5, 0.5)},
    "SolidsPressure": {"scale": 1.0},
    "Sphere": {"diameter": 0.01},
    "Superellipsoid": {"semi_axes": (0.003, 0.002, 0.001), "exponents": (4.0, 3.0), "contact_radius": 0.002},
    "TaylorGreenFlow": {"speed": 0.1, "wavenumber": 3.0},
    "Torus": {"centre": ORIGIN, "axis": Z, "radius": 0.1, "tube": 0.02, **WALLED},
    "Turbulence": {"rms": 0.3, "time_scale": 0.5, "viscosity": 1.8e-5},
    "Twisting": {},
    "UniformFlow": {"velocity": X},
    "UniformSizes": {"lower": 1e-3, "upper": 2e-3},
    "Viscoelastic": {"time": 1e-6},
}  # fmt: skip
CROWD = dem.Particles(BALL, STUFF, position=[[0.05, 0.05, 0.05], [0.05, 0.05, 0.08]])
ROOM = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), STUFF)
PERIODIC = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), STUFF, periodic=["x", "y", "z"])
EXAMPLES |= {
    "Simulation": {"particles": CROWD, "box": ROOM, "gravity": Z, "time_step": 1e-5, "threads": 1},
    "HardSpheres": {"particles": CROWD, "box": ROOM, "gravity": Z, "restitution": 0.9},
    "StochasticSpheres": {
        "particles": CROWD,
        "box": PERIODIC,
        "time_step": 1e-4,
        "restitution": 0.9,
        "cell": 0.1,
        "seed": 1,
    },
    "Coupling": {"function": print, "implicit": True},
    "FunctionFlow": {"function": lambda t, x, y, z: (0.0, 0.0, x)},
    "GriddedFlow": {"origin": ORIGIN, "spacing": (0.1, 0.1, 0.1), "velocity": np.zeros((2, 2, 2, 3))},
    "pack_dense": {"shape": dem.Sphere(diameter=0.03), "material": STUFF, "box": ROOM, "number": 5, "seed": 1},
    "pack": {"shape": BALL, "material": STUFF, "box": ROOM, "number": 2, "scale": (0.5, 0.9), "seed": 1},
}
OTHERS = {  # made by the engine, or by subclassing, or of a file
    *(
        "Advice",
        "Calibration",
        "Case",
        "Comparison",
        "DemWarning",
        "Energy",
        "Exchange",
        "FlowState",
        "HardSphereCase",
        "HardVerdict",
    ),
    *(
        "Integrator",
        "LawPart",
        "MassProperties",
        "PreciceFlow",
        "RotationCase",
        "RotationHistory",
        "ScalarExchange",
        "Shape",
        "StochasticCase",
    ),
    *("StochasticVerdict", "StudyCase", "SweepTable", "Trajectory", "Verdict", "Frame"),
}
ALSO = {  # other words for an argument
    "open": ["face"], "periodic": ["axis"], "radii": ["offsets has shape"], "normal": ["axis"],
    "velocity": ["function"],
    "diameters": ["shares has shape"], "apertures": ["shares has shape"],
    "vertices": ["no triangle of 2 has an area", "all points are in one plane"],
    "upper": ["edge of the block"], "end": ["axis"], "other_edge": ["edges"], "edge": ["edges"],
    "points": ["of the polyline"],
}  # fmt: skip
NUMBERS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-320, -1, 0, 10**400, -(10**400), 5e-324, 1.7e308]
ODD = [None, "", "x", b"x", (), [], [[1, 2], [3]], {}, object(), True, 1j, np.zeros(0), np.zeros((2, 2)), int]


def spoilt(value):
    """Extremes in place of a value, and of each number in it."""
    yield from (*NUMBERS, *ODD)
    if isinstance(value, (tuple, list)) and value and all(isinstance(each, (int, float)) for each in value):
        for number in NUMBERS:
            yield tuple(number for _ in value)
            yield (number, *value[1:])
        yield (*value, 1.0)
    elif isinstance(value, (list, np.ndarray)) and np.ndim(value) == 2:
        for number in NUMBERS:
            rows = np.array(value, dtype=float)
            try:
                rows[0, 0] = number
            except OverflowError:
                continue
            yield rows
            yield np.full(np.shape(value), number, dtype=float)


def use(made):
    """What is computed of it when it is used; results may be infinite, but nothing may break."""
    if hasattr(made, "mass_properties"):
        made.mass_properties(1000.0)
    if hasattr(made, "draw"):
        made.draw(5, seed=1)
    if hasattr(made, "quantile"):
        made.quantile(0.5)
    if isinstance(getattr(made, "material", None), dem.Material) and hasattr(type(made), "shape"):
        made.shape  # noqa: B018
    repr(made)


def complaints(name):
    """All that is odd about a class: (argument, what came, what was raised)."""
    kind, example = getattr(dem, name), EXAMPLES[name]
    kind(**example)
    arguments = {*example, *inspect.signature(kind).parameters} - {"function", "type", "_skin"}
    for argument in sorted(arguments):
        for value in spoilt(example.get(argument)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    warnings.simplefilter("ignore", dem.DemWarning)
                    use(kind(**{**example, argument: value}))
            except (ValueError, TypeError) as error:
                said = str(error)
                words = argument.replace("_", " ")
                named = any(word in said for word in (argument, words, *ALSO.get(argument, ())))
                if named and type(error) in (ValueError, TypeError):
                    continue
                yield argument, value, f"{type(error).__name__}: {said[:150]}"
            except BaseException as error:
                yield argument, value, f"{type(error).__name__}: {str(error)[:150]}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_extremes_are_taken_or_refused_by_name(name):
    odd = [f"{argument} = {shown(value)}: {said}" for argument, value, said in complaints(name)]
    assert not odd, "\n".join(odd)


def test_all_public_classes_are_tried():
    """But for those that are made by others, or are there to be subclassed or read."""
    public = {name for name in dem.__all__ if isinstance(getattr(dem, name), type)}
    assert public - OTHERS == EXAMPLES.keys() - {"pack", "pack_dense"}


@pytest.mark.parametrize("value", [1e-320, 1e-51, 1e51, 1e300, 10**400, np.inf, np.nan, -1.0, 0.0])
def test_the_gate_of_numbers_has_a_range(value):
    with pytest.raises(ValueError, match=r"size is .* expected a finite number"):
        checks.number("size", value, above=0)
    if 0 < value < np.inf and value < 10**300:
        assert checks.number("energy", value, above=0, largest=np.inf) == value  # of what a run has come to
    if value > 1:
        with pytest.raises(ValueError, match=r"size is .* expected a finite number at least -1e"):
            checks.number("size", -value)
    if value > 1 or np.isnan(value):
        with pytest.raises(ValueError, match="places"):
            checks.array("places", [0.0, value], (2,), "places")


def test_long_values_are_not_echoed():
    text = "x" * 100_000
    for refused in (
        lambda: checks.number("size", text), lambda: checks.whole("n", text, least=0), lambda: checks.text("t", [text]),
        lambda: checks.one_of("drag", text, ["stokes"]), lambda: checks.listed("axes", text, "x"),
        lambda: units.LENGTH.value("1 " + text), lambda: units.LENGTH.value(text), lambda: checks.flag("f", text),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)) as error:
            refused()
        assert len(str(error.value)) < 400


CASE = """
{before}
duration = 1e-3
time_step = 1e-5
materials.glass = {{ young = 5e6, poisson = 0.3, density = 2500 }}
shapes.bead = {{ type = "sphere", diameter = {diameter} }}
box = {{ lower = [0, 0, 0], upper = [0.1, 0.1, 0.1], material = "glass" }}
[[particles]]
shape = "bead"
material = "glass"
{place}
"""
PLACE = "position = [[0.05, 0.05, 0.05]]"
FILES = {
    "arrays nested": ({"before": "x = " + "[" * 500 + "]" * 500}, "nested too deeply: at most 40 levels"),
    "arrays nested a little": ({"before": "x = " + "[" * 41 + "]" * 41}, "nested too deeply: at most 40 levels"),
    "tables nested": ({"before": "x" + ".a" * 3000 + " = 1"}, "nested too deeply|unknown key 'x'"),
    "tiny scale": ({"place": "random = { number = 3, scale = [1e-300, 1e-300] }"}, "scale is 1e-300, .* 1e-50"),
    "tiny scale to fill": ({"place": "random = { solid_fraction = 0.1, scale = [1e-300, 1e-300] }"}, "scale is 1e-300"),
    "small scale": ({"place": "random = { solid_fraction = 0.1, scale = [1e-9, 1e-9] }"}, "particles would take .* GB"),
    "long unit": ({"diameter": '"4 ' + "m" * 20_000 + '"'}, "has 20002 letters: expected a length"),
    "long name": ({"before": "y" * 50_000 + " = 1"}, "yyy: unknown key 'yyy"),
    "large lattice": ({"place": "lattice = { pitch = 0.005, sites = [100000, 100000, 100000] }"}, "1e.15 sites .* GB"),
    "jammed": ({"place": "random = { solid_fraction = 0.45 }"}, "at random places they jam at 0.384"),
    "many": ({"place": "random = { number = 1000000000000000 }"}, "1e.15 particles would take .* GB"),
    "more than any float": ({"place": f"random = {{ number = 1{'0' * 400} }}"}, "particles would take .* GB"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_case_files_that_go_too_far_are_refused_at_once(name, tmp_path):
    """In one line for each thing that is wrong, of a few hundred letters, before memory is taken or time is spent."""
    given, said = FILES[name]
    (tmp_path / "case.toml").write_text(CASE.format(**{"before": "", "diameter": "0.004", "place": PLACE} | given))
    with pytest.raises(ValueError, match=said) as error:
        dem.load(tmp_path / "case.toml")
    assert len(str(error.value).replace(str(tmp_path), "")) < 500


def test_as_many_equal_spheres_as_fit_are_tried():
    """Up to a solid fraction of 0.4 of many; few ones may lie more densely, within a period."""
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), STUFF, periodic=["x", "y", "z"])
    assert len(dem.pack(dem.Sphere(diameter=0.09), STUFF, box, number=1)) == 1
    with pytest.raises(ValueError, match="at random places they jam"):
        dem.pack(dem.Sphere(diameter=0.009), STUFF, box, solid_fraction=0.41)
    assert len(dem.pack(dem.Sphere(diameter=0.0125), STUFF, box, solid_fraction=0.3)) == 293


def _falling():
    return dem.Simulation(dem.Particles(BALL, STUFF, position=[[0, 0, 0]]), time_step=1e-5, threads=1)


CALLS = {  # of methods, with an argument that makes no sense
    "radius is -1 m": lambda: dem.JKR(work=0.05).pull_off(-1.0),
    "radius is nan m": lambda: dem.Bridge(volume=1e-13, tension=0.07).pull_off(np.nan),
    "overlap is -1e-05 m": lambda: dem.EEPA(surface_energy=0.2).pull_off(1e-3, -1e-5, 1e7),
    "pressure is nan Pa": lambda: dem.Cell.shear((1, 1, 1), rate=1.0, pressure=np.nan),
    "fraction is 1, expected": lambda: dem.SolidsPressure(scale=10.0).at(1.0),
    "duration is -1 s": lambda: _falling().carry_on(-1.0),
    "duration is nan s": lambda: _falling().carry_on(np.nan),
    "kind is 3, and no particle is of it: kinds are 0 to 0": lambda: _falling().particles.grading(kind=3),
}


@pytest.mark.parametrize("said", CALLS)
def test_methods_name_the_argument_that_makes_no_sense(said):
    with pytest.raises(ValueError, match=said):
        CALLS[said]()


def test_hard_spheres_do_not_go_back():
    ball = dem.Particles(BALL, STUFF, position=[[0.05, 0.05, 0.05]])
    with pytest.raises(ValueError, match="duration is -1 s, expected a finite number at least 0"):
        dem.HardSpheres(ball, ROOM).carry_on(-1.0)
