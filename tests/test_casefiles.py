"""Case files: units, messages, placements, the bytes of examples, and what is foreseen of a run."""

import math
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import get_origin

import h5py
import numpy as np
import oracle
import pytest
from pydantic import ValidationError
from scipy.spatial import cKDTree
from typer.testing import CliRunner

import dem
from dem.base import units
from dem.case import StudyCase
from dem.casefile import preview
from dem.casefile.load import METHODS, read, resolved
from dem.casefile.particle_groups import last_frame
from dem.casefile.schema.case_tables import (
    BoxTable,
    HardTable,
    ImpactTable,
    LatticeTable,
    MaterialTable,
    OutputTable,
    RandomTable,
    SteppedTable,
    StochasticTable,
    TurbulenceTable,
)
from dem.casefile.schema.insertion import InserterTable
from dem.casefile.schema.key_types import table_in, without_none
from dem.casefile.schema.walls import WallTable
from dem.casefile.toml import tomllib
from dem.casefile.write import blank, example
from dem.cli.application import app
from dem.model.particles.fields import STATE

BEGINNING = """
duration = "1 ms"
time_step = "10 us"
threads = 1

[materials.nylon]
young = "50 MPa"
poisson = 0.35
density = "1.1 g/cm3"

[shapes.fibre]
type = "fibre"
diameter = "10 mm"
aspect_ratio = 3

[shapes.ball]
type = "sphere"
diameter = 0.01

[box]
upper = ["20 cm", "20 cm", "20 cm"]
material = "nylon"
"""


@pytest.fixture
def case_of(tmp_path):
    """The case of a file that begins as above."""

    def made(groups, beginning=BEGINNING, **settings):
        path = tmp_path / "mine.toml"
        path.write_text(beginning + groups)
        return read(path, settings).case

    return made


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(words), catch_exceptions=False)


def group(placement, shape="ball", more=""):
    return f'\n[[particles]]\nshape = "{shape}"\nmaterial = "nylon"\n{placement}\n{more}\n'


# units


@pytest.mark.parametrize(("quantity", "text", "value"), [
    (units.LENGTH, "10 mm", 0.01), (units.LENGTH, "9.3mm", 0.0093), (units.LENGTH, "-3 µm", -3e-6),
    (units.LENGTH, "1e-3 m", 1e-3), (units.LENGTH, " 5 cm ", 0.05), (units.TIME, "7 us", 7e-6),
    (units.TIME, "2 min", 120.0), (units.TIME, "1.5 h", 5400.0), (units.DENSITY, "2.5 g/cm3", 2500.0),
    (units.DENSITY, "2.5 g/cm^3", 2500.0), (units.DENSITY, "7 kg m-3", 7.0), (units.MODULUS, "50 MPa", 5e7),
    (units.MODULUS, "70 GPa", 7e10), (units.MODULUS, "3 N/m2", 3.0), (units.MODULUS, "3 J m-3", 3.0),
    (units.ANGLE, "180 deg", math.pi), (units.ANGLE, "0.5 rad", 0.5), (units.FREQUENCY, "30 Hz", 30.0),
    (units.FREQUENCY, "60 /min", 1.0), (units.FREQUENCY, "60 1/min", 1.0), (units.SPIN, "60 rpm", 2 * math.pi),
    (units.SPIN, "1 rev/s", 2 * math.pi), (units.SPIN, "180 deg/s", math.pi), (units.SPEED, "5 cm/s", 0.05),
    (units.SPEED, "36 km/h", 10.0), (units.ACCELERATION, "9.81 m/s2", 9.81), (units.ACCELERATION, "9.81 m/s²", 9.81),
    (units.ACCELERATION, "9.81 m s^-2", 9.81),
])  # fmt: skip
def test_units_give_the_float_that_is_nearest(quantity, text, value):
    assert quantity.value(text) == value


@pytest.mark.parametrize(("table", "plain"), [
    ('adhesion = { type = "jkr", work = "50 mJ/m2" }', "adhesion = { type = 'jkr', work = 0.05 }"),
    ('adhesion = { type = "bridge", volume = "0.1 mm3", tension = "72 mN/m" }',
     "adhesion = { type = 'bridge', volume = 1e-10, tension = 0.072 }"),
    ('damping = { type = "dashpot", coefficient = "10 N s/m" }', "damping = { type = 'dashpot', coefficient = 10.0 }"),
    ('normal = { type = "hysteretic", loading = "1 N/mm", unloading = "2 N/mm", cohesion = "1 N/mm" }',
     "normal = { type = 'hysteretic', loading = 1e3, unloading = 2e3, cohesion = 1e3 }"),
])  # fmt: skip
def test_numbers_of_contact_laws_have_units(table, plain):
    """They were refused as no valid number, although the others of a material have units."""
    young = 'young = "5 MPa"\npoisson = 0.3\n'
    assert MaterialTable(**tomllib.loads(young + table)) == MaterialTable(**tomllib.loads(young + plain))


def test_a_number_whose_unit_depends_on_the_law_has_none():
    with pytest.raises(ValidationError, match="valid number"):
        MaterialTable(**tomllib.loads('young = 1.0\npoisson = 0.3\nnormal = { type = "power", stiffness = "1 kN/m" }'))


def test_loads_masses_and_rates_have_units():
    text = """
type = "rectangle"
material = "steel"
centre = [0, 0, 0]
edge = ["10 cm", 0, 0]
other_edge = [0, "10 cm", 0]
"""
    for given, plain in (
        ('servo = { force = "5 mN", axis = [0, 0, -1] }', "servo = { force = 0.005, axis = [0, 0, -1] }"),
        ('free = { mass = "5 g", inertia = ["10 g cm2", 1, 1], angular_velocity = ["1 rev/s", 0, 0] }',
         f"free = {{ mass = 0.005, inertia = [1e-6, 1, 1], angular_velocity = [{2 * math.pi!r}, 0, 0] }}"),
        ('motion = { velocity = ["1 cm/s", 0, 0] }', "motion = [{ velocity = [0.01, 0, 0] }]"),
    ):  # fmt: skip
        assert WallTable(**tomllib.loads(text + given)) == WallTable(**tomllib.loads(text + plain))
    rain = {"shape": "bead", "material": "glass", "region": {"type": "block", "lower": [0, 0, 0], "upper": [1, 1, 1]}}
    table = InserterTable(**rain, mass="5 g", mass_rate="36 kg/h")
    assert (table.mass, table.mass_rate) == (0.005, 0.01)


def test_millimetres_round_once():
    """Decimal arithmetic: each is the float that its digits in metres are, which multiplying by 1e-3 often misses."""
    tenths = range(1, 2000)
    assert [units.LENGTH.value(f"{k / 10} mm") for k in tenths] == [float(Decimal(k) / 10000) for k in tenths]
    assert any(k / 10 * 1e-3 != float(Decimal(k) / 10000) for k in tenths)


@pytest.mark.parametrize(("quantity", "text", "said"), [
    (units.DENSITY, "2.5 kg", "'2.5 kg' is in kg: expected a density [kg/m3], such as '2.5 g/cm3'"),
    (units.FREQUENCY, "60 rpm", "'60 rpm' is in rpm: expected a frequency [Hz], such as '30 Hz'"),
    (units.SPIN, "5 Hz", "'5 Hz' is in Hz: expected a rate of rotation [rad/s]"),
    (units.ANGLE, "5 m", "'5 m' is in m: expected a plane angle [rad]"),
    (units.LENGTH, "10", "'10' has no unit: expected a length [m]"),
    (units.LENGTH, "mm", "'mm' does not begin with a number"),
    (units.LENGTH, "", "'' does not begin with a number"),
    (units.LENGTH, "10 mn", "'10 mn' has the unknown unit 'mn'"),
    (units.LENGTH, "1 (m", "'1 (m' has the unknown unit"),
    (units.LENGTH, "1 m + 2 m", "'1 m + 2 m' has the unknown unit"),
    (units.LENGTH, "1e9999 m", "'1e9999 m' has the unknown unit"),
    (units.LENGTH, "1 __import__('os')", "has the unknown unit"),
])  # fmt: skip
def test_other_dimensions_and_unknown_units_are_refused(quantity, text, said):
    with pytest.raises(ValueError, match="expected a") as refused:
        quantity.value(text)
    assert said in str(refused.value)


# messages

WRONG = """
duration = "10 kg"
time_stp = 1e-5
integrator = "pcmd"
gravity = [0, -9.81]
[output]
frames = 0
[materials.nylon]
young = "50 MPa"
poison = 0.35
density = -3
[materials."a b"]
young = inf
poisson = "0.3"
[shapes.fibre]
type = "fibre"
diameter = 0.01
aspect_ratio = 3
spheres = 5
spacing = 1
[shapes.ball]
type = "sphere"
radius = 1
[shapes.egg]
type = "ovoid"
[box]
upper = ["10 cm", "10 cm", 0]
material = "nylo"
open = ["top"]
motion.floor.velocity = [0, 0, 1]
motion.x-.frequency = "30 Hz"
[[particles]]
shape = "fibr"
material = "nylon"
velocity = [1, 2, "5 m"]
orientation = [[1, 0, 0, 0], [1, "a", 0, 0]]
random = { solid_fraction = 1.1 }
[[particles]]
file = "no.csv"
velocity = "5 m/s"
speed = true
[[particles]]
shape = "fibre"
material = "nylon"
[[particles]]
shape = "fibre"
position = [[0, 0, 0]]
[[particles]]
last_frame = 5
seed = 1.5
lattice = { pitch = 0.1, sites = [1, 1, 0] }
[[contacts]]
materials = ["nylon"]
friction = -1
"""

LINES = """
duration: '10 kg' is in kg: expected a time [s], such as '5 us'
gravity.2 is missing
output.frames is 0: input should be greater than 0
materials.nylon.poisson is missing: Poisson's ratio
materials.nylon.density is -3: input should be greater than 0
materials.nylon.poison: unknown key 'poison': did you mean poisson? known are
materials.a b.young is inf: input should be a finite number
materials.a b.poisson is '0.3': input should be a valid number
shapes.fibre: 5 spheres of diameter 0.01 m every 1 m make an aspect ratio of 401, not 3: leave one of the three out
shapes.ball.radius: unknown key 'radius': did you mean 'diameter', which is twice the radius?
shapes.egg.type: unknown type 'ovoid': known are sphere, fibre, capsule, clump, ellipsoid,
particles.0.shape: unknown shape 'fibr': did you mean fibre? known are fibre, ball, egg
particles.0.random.solid_fraction is 1.1: input should be less than or equal to 1
particles.0.orientation.1.1 is 'a': input should be a valid number
particles.0.velocity.2: '5 m' is in m: expected a speed [m/s], such as '5 cm/s'
particles.1.file: no file /
particles.1.velocity is '5 m/s': input should be a list
particles.1.speed is True: input should be a valid number
particles.2: needs one of position, lattice, random, file, last_frame, got none
particles.3: needs a material
particles.4.lattice.sites.2 is 0: input should be greater than 0
particles.4.last_frame is 5: input should be a valid string
particles.4.seed is 1.5: input should be a valid integer
box.material: unknown material 'nylo': did you mean nylon? known are nylon, a b
box.open.0: unknown face 'top': known are x-, x+, y-, y+, z-, z+
box.motion.floor: unknown face 'floor': known are x-, x+, y-, y+, z-, z+, all
box.motion.x-: a motion with frequency but no amplitude does not vibrate: give amplitude, or leave out frequency
time_step is missing: time step [s], or auto
integrator: unknown integrator 'pcmd': did you mean pcdm? known are
contacts.0.materials.1 is missing
contacts.0.friction is -1: input should be greater than or equal to 0
time_stp: unknown key 'time_stp': did you mean time_step? known are
"""


def test_every_error_is_told_at_once_with_its_path(cli, tmp_path):
    (tmp_path / "wrong.toml").write_text(WRONG)
    for command in ("run", "check"):
        done = cli(command, "wrong.toml")
        assert done.exit_code == 2
        (*said, more), expected = done.stderr.splitlines(), LINES.strip("\n").splitlines()
        assert more == "dem: more: dem guide case-files"
        for line, start in zip(said, expected, strict=True):
            assert line.startswith(f"dem: wrong.toml: {start}")
    assert [p.name for p in tmp_path.iterdir()] == ["wrong.toml"]


@pytest.mark.parametrize(("text", "line"), [
    ("duration = 1\ntime_step 1\n", "wrong.toml: expected '=' after a key in a key/value pair (at line 2, column 11)"),
    ('method = "soft"', "wrong.toml: unknown method 'soft': known are time-steps, hard-spheres, stochastic"),
    ('case = "nine-fibers"', "wrong.toml: unknown case 'nine-fibers': did you mean nine-fibres?"),
    ('case = "nine-fibres"\n[parameters]\nangel = 3', "wrong.toml: unknown parameter of nine-fibres 'angel': did you"),
    ('case = "nine-fibres"\nparameter.angle = 3', "wrong.toml: parameter: unknown key 'parameter': did you mean param"),
    (BEGINNING, "wrong.toml: particles is missing: groups of particles"),
    (BEGINNING + group("position = [[0.1, 0.1, 0.1]]\nlattice = { pitch = 1, sites = [1, 1, 1] }"),
     "wrong.toml: particles.0: needs one of position, lattice, random, file, last_frame, got position and lattice"),
    (BEGINNING + group("position = [[0.1, 0.1, 0.1]]", more="speed = 1\nvelocity = [0, 0, 1]"),
     "wrong.toml: particles.0: velocity and speed are both given"),
    (BEGINNING + "[box.motion.all]\n[box.motion.z-]\n" + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: box: motion is given for all faces and for z-: leave one out"),
    (BEGINNING.replace('["20 cm", "20 cm", "20 cm"]', "[1, 0, 1]") + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: box: box from (0.0, 0.0, 0.0) to (1.0, 0.0, 1.0) has no volume"),
    (BEGINNING + "[shapes.odd]\ntype = 'sphere'\naspect_ratio = 2" + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: shapes.odd: a sphere takes diameter, got aspect_ratio: aspect_ratio is unknown here"),
    (BEGINNING + "[shapes.odd]\ntype = 'clump'\nradii = [2]" + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: shapes.odd: a clump takes offsets, radii, got radii: offsets is missing"),
    (BEGINNING + "[cell]\nedges = [1, 1, 1]\n" + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: box and cell are both given: leave one out"),
    (BEGINNING + "[fluid]\ndensity = 1.0\nviscosity = 1.0\nevery = 0\n" + group("position = [[0.1, 0.1, 0.1]]"),
     "wrong.toml: fluid.every is 0: input should be greater than 0"),
    (BEGINNING + group("position = [[0.1, 0.1, 0.1]]", more='fields.moisture = "wet"'),
     "wrong.toml: particles.0.fields.moisture is 'wet': input should be a valid number"),
    (BEGINNING + group("position = []"), "wrong.toml: particles.0.position is []: input should have at least 1 value"),
    (BEGINNING + group("random = { number = 2, solid_fraction = 0.1 }"),
     "wrong.toml: particles.0.random: give either number or solid_fraction"),
    (BEGINNING + group("random = { number = 2, scale = [2, 1] }"),
     "wrong.toml: particles.0.random: scale is [2.0, 1.0], expected the smaller number first"),
])  # fmt: skip
def test_single_errors(cli, tmp_path, text, line):
    (tmp_path / "wrong.toml").write_text(text)
    done = cli("check", "wrong.toml")
    assert done.exit_code == 2
    said, more = done.stderr.splitlines()
    assert said.startswith(f"dem: {line}")
    assert more == "dem: more: dem guide case-files"


def test_check_refuses_a_file_of_another_ending_as_run_does(cli, tmp_path):
    text = BEGINNING + "[output]\nfile = 'run.txt'\n" + group("position = [[0.1, 0.1, 0.1]]")
    (tmp_path / "wrong.toml").write_text(text)
    for command in ("run", "check"):
        done = cli(command, "wrong.toml")
        assert done.exit_code == 2
        assert "run.txt ends in .txt, but a trajectory is HDF5" in done.stderr.splitlines()[0]


@pytest.mark.parametrize(("text", "line", "page"), [
    (BEGINNING + "[shapes.odd]\ntype = 'ellipsoid'\ncontact_radius = 2" + group("position = [[0.1, 0.1, 0.1]]"),
     "shapes.odd: an ellipsoid takes semi_axes, contact_radius, got contact_radius: semi_axes is missing", "convex"),
    (BEGINNING + "[heat]\ngas_range = 1e-3\n" + group("position = [[0.1, 0.1, 0.1]]"),
     "heat: gas_range is 0.001 m without a gas: give gas_conductivity too", "heat"),
    (BEGINNING.replace("[shapes.fibre]", "expansion = 1e-5\n[shapes.fibre]") + group("position = [[0.1, 0.1, 0.1]]"),
     "dem: expansion of the material 'nylon' in a run without heat: add heat=dem.Heat(), or leave it out", "heat"),
])  # fmt: skip
def test_errors_name_the_page_of_what_they_mention_first(cli, tmp_path, text, line, page):
    (tmp_path / "wrong.toml").write_text(text)
    done = cli("check", "wrong.toml")
    assert done.exit_code == 2
    said, more = done.stderr.splitlines()
    assert said.endswith(line)
    assert more == f"dem: more: dem guide {page}"


def test_an_exchange_of_too_many_sub_steps_names_the_page_on_heat(cli):
    done = cli("run", "heated-row", "--set", "time_factor=1e30", "--set", "n=2")
    assert done.exit_code == 1
    *_, said, more = done.stderr.splitlines()  # kernels may have been compiled
    assert "take implicit=True, lower every or time_factor" in said
    assert more == "dem: more: dem guide heat"


def test_check_refuses_a_duration_without_a_time_step_as_run_does(cli, tmp_path):
    short = BEGINNING.replace('"1 ms"', '"4 us"') + group("position = [[0.1, 0.1, 0.1]]")
    (tmp_path / "short.toml").write_text(short)
    for command in ("run", "check"):
        done = cli(command, "short.toml")
        assert done.exit_code == 2
        assert "duration 4e-06 s is shorter than one time step of 1e-05 s" in done.stderr


def test_groups_that_cannot_be_made_are_told_together(cli, tmp_path):
    (tmp_path / "odd.csv").write_text("x, y, zz\n0, 0, 0\n")
    (tmp_path / "few.csv").write_text("x,y,z,vx\n0,0,0,0\n")
    (tmp_path / "text.csv").write_text("x,y,z\n0,0,0\n0,oh\n")
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "state.txt").write_text("x y z")
    np.savez(tmp_path / "other.npz", velocity=[[0, 0, 0]])
    two = "position = [[0.05, 0.05, 0.05], [0.1, 0.1, 0.1]]"
    groups = [
        group(two, more="velocity = [[0, 0, 0]]"),
        group(two, more="orientation = [2, 0, 0, 0]"),
        *(group(f'file = "{name}"') for name in
          ("odd.csv", "few.csv", "text.csv", "text.npz", "state.txt", "other.npz")),
        group('random = { number = 1, upper = [-1, 1, 1] }'),
        '[[particles]]\nlast_frame = "odd.csv"\n',
    ]  # fmt: skip
    (tmp_path / "wrong.toml").write_text(BEGINNING + "".join(groups))
    done = cli("check", "wrong.toml")
    assert done.exit_code == 2
    expected = [
        "velocity has 1 row for 2 particles, expected one, or one each",
        "orientation of particle 0 has norm 2, expected 1",
        f"unknown column of {tmp_path / 'odd.csv'} 'zz': did you mean z? known are x, y, z, v_x",
        f"{tmp_path / 'few.csv'} has no column v_y, v_z beside v_x",
        f"{tmp_path / 'text.csv'}: row 2 is '0,oh', expected 3 numbers",
        f"{tmp_path / 'text.npz'} is not a readable NPZ file",
        f"{tmp_path / 'state.txt'} is neither a .csv nor a .npz file",
        f"{tmp_path / 'other.npz'} holds no position",
        "random has the region from [0.0, 0.0, 0.0] to [-1.0, 1.0, 1.0]: lower must be below upper",
        f"{tmp_path / 'odd.csv'} is no HDF5 file, so no trajectory",
    ]
    for number, (line, said) in enumerate(zip(done.stderr.splitlines(), expected, strict=True)):
        assert line.startswith(f"dem: particles.{number}: {said}")


def test_other_commands_do_not_wait_for_case_files():
    """Neither the parser of units nor the schema is imported with the command line."""
    command = "import sys, dem.cli; print({'pint', 'dem.casefile.schema.case_tables'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", command], capture_output=True, check=True).stdout == b"set()\n"


def test_missing_files(cli):
    assert cli("run", "nothing.toml").stderr == "dem: no file nothing.toml\n"
    assert cli("init", "nine-fibers").stderr.startswith("dem: unknown case 'nine-fibers': did you mean nine-fibres?")


def test_the_command_line_sets_keys(case_of):
    groups = group("position = [[0.1, 0.1, 0.1]]")
    case = case_of(groups, **{"particles.0.velocity": ["0", "-2", "5 cm/s"], "materials.nylon.young": "1 GPa",
                              "duration": 0.25, "frames": 7, "box.roughness": "1 deg"})  # fmt: skip
    particles, box = case.build()
    assert particles.velocity.tolist() == [[0, -2, 0.05]]
    assert particles.variants[0][1].young == 1e9
    assert (case.duration, case.frames, box.roughness) == (0.25, 7, math.pi / 180)
    with pytest.raises(ValueError, match=r"mine.toml: --set particles.2: '2' is no number from 0 to 1, which would be"):
        case_of(groups, **{"particles.2.velocity": ["0", "0", "0"]})
    with pytest.raises(ValueError, match=r"mine.toml: --set duration: there is no table, but '1 ms'"):
        case_of(groups, **{"duration.long": 1})
    with pytest.raises(ValueError, match=r"mine.toml: young: unknown key 'young'"):
        case_of(groups, young=1)


@pytest.mark.slow
def test_the_command_line_adds_what_the_file_lacks(cli, tmp_path):
    """Faces keep their signs, tables and lists come to be, one word is a list where one is wanted."""
    (tmp_path / "mine.toml").write_text(BEGINNING + group("position = [[0.1, 0.1, 0.1]]"))
    settings = {
        "box.motion.z-.frequency": "30Hz", "box.motion.z-.amplitude": "0,0,1 mm",
        'box.motion."x+".velocity': "1 cm/s,0,0",
        "box.open": "z+", "box.periodic": "[y]", "materials.my-sand.young": "1 GPa", "materials.my-sand.poisson": "0.2",
        "contacts.0.materials": "nylon,my-sand", "contacts.0.restitution": "0.5", "contacts.0.friction": "0.1",
        "particles.1.shape": "ball", "particles.1.material": "my-sand", "particles.1.position": "[[0.1, 0.1, 0.15]]",
        "particles.2.shape": "ball", "particles.2.material": "nylon",
        "particles.2.random": "{ number = 2, scale = [0.5, 1] }", "time-step": "5 us", "output.fields": "velocity",
    }  # fmt: skip
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    done = cli("run", "mine.toml", *words, "--duration", "10 us", "--frames", "1", "--quiet")
    assert done.exit_code == 0, done.stderr
    with dem.Trajectory(tmp_path / "mine.h5") as run:
        assert run.fields == ("position", "velocity")
        assert (run.input["time_step"], run.time[-1]) == (5e-6, 1e-5)
        assert run.box.motion == {
            "z-": dem.Motion(frequency=30, amplitude=(0, 0, 1e-3)), "x+": dem.Motion(velocity=(0.01, 0, 0)),
        }  # fmt: skip
        assert (list(run.box.open), list(run.box.periodic)) == (["z+"], ["y"])
        assert [kind.material.name for kind in run.kinds] == ["nylon", "my-sand"]
        assert np.bincount(run.kind).tolist() == [3, 1]
        assert {"restitution": 0.5, "friction": 0.1}.items() <= run.input["contacts"][1].items()
    shown = cli("info", "mine.h5").stdout
    assert "\ncase file\nmethod " in shown
    assert re.search(r"^shapes +.*ball \(type sphere, diameter ", shown, re.MULTILINE)
    words = " ".join(shown.split())  # lines are broken somewhere
    assert "motion (z- (velocity (0, 0, 0) m/s, amplitude (0, 0, 0.001) m, frequency 30 Hz, phase 0 rad), x+ (" in words
    assert not [line for line in shown.splitlines() if line.endswith(" ")]
    for wrong, said in (
        ("box.motion.q-.frequency=1", "box.motion.q-: unknown face 'q-': known are"),
        ("box.motions.z-.frequency=1", "box.motions: unknown key 'motions': did you mean motion?"),
        ("=1", "--set =1: expected NAME=VALUE"),
    ):
        refused = cli("run", "mine.toml", "--set", wrong)
        assert (refused.exit_code, refused.stderr.startswith(f"dem: mine.toml: {said}")) == (2, True), refused.stderr


@pytest.mark.parametrize("text", ["[box.motion.z+]\nfrequency = 30", 'box.open = ["z-", z+]'])
def test_what_has_a_plus_needs_quotes(cli, tmp_path, text):
    (tmp_path / "wrong.toml").write_text(f"duration = 1\n{text}\n")
    said = cli("check", "wrong.toml").stderr.splitlines()[0]
    assert "(at line 2, column" in said
    assert said.endswith('; what has a plus needs quotes: "z+"')
    assert tomllib.loads(text.replace("z+", '"z+"'))


def test_a_byte_order_mark_is_no_mistake(cli, tmp_path):
    (tmp_path / "short.toml").write_text('case = "single-fibre"\n', encoding="utf-8-sig")
    assert cli("run", "short.toml", "--duration", "1e-5", "--quiet").stderr == ""


@pytest.mark.parametrize("what", ["single-fibre", "mine.toml", "short.toml"])
@pytest.mark.few(1)
def test_times_have_units_everywhere(cli, tmp_path, what):
    """With a case, a case file and one that names a case; as options and as settings."""
    (tmp_path / "mine.toml").write_text(BEGINNING + group("position = [[0.1, 0.1, 0.1]]"))
    (tmp_path / "short.toml").write_text('case = "single-fibre"\nparameters.duration = "1 s"\n')
    for k, words in enumerate([
        ("--duration", "0.1 ms", "--time-step", "5 us"), ("--duration", "1e-4", "--time-step", "5e-6"),
        ("--set", "duration=0.1 ms", "--set", "time-step=5 us"),
    ]):  # fmt: skip
        done = cli("run", what, *words, "--frames", "1", "-o", f"{k}.h5", "--quiet")
        assert done.exit_code == 0, done.stderr
        with dem.Trajectory(tmp_path / f"{k}.h5") as run:
            assert (run.input["time_step"], run.time[-1], run.step[-1]) == (5e-6, 1e-4, 20)
    wrong = "'1 mm' is in mm: expected a time [s], such as '5 us'"
    for option in ("duration", "time_step"):
        refused = cli("run", what, f"--{option.replace('_', '-')}", "1 mm")
        assert (refused.exit_code, refused.stderr.splitlines()[0].endswith(f"{option}: {wrong}")) == (2, True)


def test_parameters_of_cases_have_the_units_of_their_descriptions(cli, tmp_path):
    set_ = ("--set", "diameter=8 mm", "--set", "young=70 MPa", "--set", "gravity=0,0,-981 cm/s2")
    done = cli("run", "single-fibre", *set_, "--duration", "1e-5", "--time-step", "5e-6", "--frames", "1", "--quiet")
    assert done.exit_code == 0, done.stderr
    with dem.Trajectory(tmp_path / "single-fibre.h5") as run:
        given = run.input["parameters"]
        assert (given["diameter"], given["young"], given["gravity"]) == (0.008, 7e7, [0, 0, -9.81])
    refused = cli("run", "single-fibre", "--set", "diameter=8 s", "--set", "poisson=2")
    assert refused.stderr.splitlines() == [
        "dem: diameter: '8 s' is in s: expected a length [m], such as '10 mm'",
        "dem: poisson is '2': input should be less than or equal to 0.5",
    ]


# what a file can say


def test_a_file_says_what_python_says(case_of):
    """Materials, pairs, shapes, walls and state are those that the classes make of the same numbers."""
    beginning = """
duration = 1
time_step = 1e-5
integrator = "splitting"
threads = 1
gravity = [0, "-5 m/s2", 0]
contact_rule = "least"
materials.glass = { young = 7e7, poisson = 0.22, density = 2500, restitution = 0.9, friction = 0.3 }
materials.steel = { young = 2e8, poisson = 0.3, restitution = 0.8, friction = 0.2 }
shapes.bead = { type = "sphere", diameter = 0.005 }
shapes.rod = { type = "fibre", diameter = 0.004, spheres = 3, spacing = "4 mm" }
shapes.pair = { type = "clump", offsets = [[0, 0, 0], ["5 mm", 0, 0]], radii = [0.004, "3 mm"] }
output = { frames = 3, file = "out/mine.h5" }
[box]
lower = [-1, -1, -1]
upper = [1, 1, 1]
material = "steel"
open = ["z+"]
periodic = ["x"]
roughness = "9 deg"
seed = 4
motion.z- = { velocity = [0, 0, 0.1], amplitude = [0, 0, "1 mm"], frequency = "30 Hz", phase = "180 deg" }
[[contacts]]
materials = ["glass", "steel"]
restitution = 0.7
friction = 0.4
"""
    groups = """
[[particles]]
shape = "rod"
material = "glass"
position = [[0, 0, 0], [0.1, 0, 0]]
orientation = [[0.6, 0.8, 0, 0], [1, 0, 0, 0]]
velocity = [0, 1, 0]
angular_velocity = [[0, 0, "60 rpm"], [1, 2, 3]]
[[particles]]
shape = "pair"
material = "steel"
position = [[0, 0.5, 0]]
[[particles]]
shape = "bead"
material = "glass"
position = [[0, -0.5, 0]]
"""
    case = case_of(groups, beginning)
    glass = dem.Material(young=7e7, poisson=0.22, density=2500.0, restitution=0.9, friction=0.3, name="glass")
    steel = dem.Material(young=2e8, poisson=0.3, restitution=0.8, friction=0.2, name="steel")
    rods = dem.Particles(
        dem.Fibre(diameter=0.004, spheres=3, spacing=0.004), glass, position=[[0, 0, 0], [0.1, 0, 0]],
        orientation=[[0.6, 0.8, 0, 0], [1, 0, 0, 0]], velocity=[[0, 1, 0]] * 2,
        angular_velocity=[[0, 0, 2 * math.pi], [1, 2, 3]],
    )  # fmt: skip
    clump = dem.Clump(offsets=[[0, 0, 0], [0.005, 0, 0]], radii=[0.004, 0.003])
    pair = dem.Particles(clump, steel, position=[[0, 0.5, 0]])
    bead = dem.Particles(dem.Sphere(diameter=0.005), glass, position=[[0, -0.5, 0]])
    shaken = dem.Motion(velocity=(0, 0, 0.1), amplitude=(0, 0, 1e-3), frequency=30, phase=math.pi)
    walls = dem.Box((-1, -1, -1), (1, 1, 1), steel, open=["z+"], periodic=["x"], motion={"z-": shaken},
                    roughness=math.radians(9), seed=4)  # fmt: skip
    particles, box = case.build()
    same_state(particles, dem.Particles.concatenate([rods, pair, bead]))
    assert [material for _, material in particles.variants] == [glass, steel, glass]
    assert particles.variants[0][0] == dem.Fibre(diameter=0.004, spheres=3, spacing=0.004)
    np.testing.assert_array_equal(particles.variants[1][0].offsets, clump.offsets)
    assert box == walls
    contacts = case.contacts()
    assert contacts.between(steel, glass) == dem.Contact(restitution=0.7, friction=0.4)
    assert contacts.between(steel, steel) == dem.Contact(restitution=0.8, friction=0.2)
    assert contacts.rule == "least"
    assert (case.table.gravity, case.table.integrator, case.frames) == ((0, -5, 0), "splitting", 3)


def same_state(one, other):
    assert one.fields == other.fields
    for name in [name for name in one.fields if not STATE[name].hidden]:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def test_all_walls_move_together(case_of):
    case = case_of("[box.motion.all]\nvelocity = [0, 0, 1]\n" + group("position = [[0.1, 0.1, 0.1]]"))
    _, box = case.build()
    assert set(box.motion) == {"x-", "x+", "y-", "y+", "z-", "z+"}


def test_hard_spheres_in_a_file(case_of):
    """The same impacts as from Python."""
    beginning = """
duration = 0.2
method = "hard-spheres"
materials.stuff = { young = 1, poisson = 0, density = 1000 }
shapes.ball = { type = "sphere", diameter = 0.1 }
impacts = { restitution = 0.8, wall_friction = 0.3, contact_time = "1 us" }
box = { upper = [1, 1, 1], material = "stuff", periodic = ["x", "y"] }
"""
    groups = """
[[particles]]
shape = "ball"
material = "stuff"
lattice = { sites = [4, 4, 4], pitch = 0.25 }
speed = 2
"""
    case = case_of(groups, beginning)
    sim = case.simulation()
    particles, box = case.build()
    same = dem.HardSpheres(particles, box, restitution=0.8, wall_friction=0.3, contact_time=1e-6)
    assert isinstance(sim, dem.HardSpheres)
    assert sim.settings == same.settings
    sim.run(case.duration)
    same.run(0.2)
    assert sim.collisions.total > 10
    same_state(sim.particles, same.particles)
    with pytest.raises(ValueError, match=r"mine.toml: time_step: unknown key"):
        case_of(groups, "time_step = 1\n" + beginning)


# placements


def test_a_lattice_is_where_it_should_be(case_of):
    inside = case_of(group('lattice = { sites = [2, 3, 2], pitch = "3 cm" }')).build()[0].position
    along = [0.015, 0.045, 0.075]
    np.testing.assert_allclose(inside, [(x, y, z) for z in along[:2] for y in along for x in along[:2]], rtol=1e-14)
    moved = case_of(group("lattice = { sites = [2, 1, 1], pitch = 0.5, origin = [-1, 0, 7] }")).build()[0].position
    assert moved.tolist() == [[-1, 0, 7], [-0.5, 0, 7]]


def test_fibres_of_random_directions_on_a_lattice_keep_clear(case_of):
    groups = group("lattice = { sites = [6, 6, 6], pitch = 0.02 }", "fibre", 'orientation = "random"')
    particles, _ = case_of(groups).build()
    assert closest(particles) >= 0
    assert len({tuple(q) for q in particles.orientation.tolist()}) > 200  # a few may never find room to turn


def closest(particles, periods=None):
    """Smallest gap between spheres of different particles, by another search than the engine's."""
    centre, radius, owner, _ = oracle.spheres(particles)
    if periods is not None:
        centre = centre % periods
    pairs = cKDTree(centre, boxsize=periods).query_pairs(4 * radius.max(), output_type="ndarray")
    i, j = pairs[owner[pairs[:, 0]] != owner[pairs[:, 1]]].T
    gap = centre[i] - centre[j]
    if periods is not None:
        gap -= periods * np.round(gap / periods)
    assert len(i)
    return (np.linalg.norm(gap, axis=1) - radius[i] - radius[j]).min()


MIXTURE = (
    group("random = { solid_fraction = 0.1 }", "fibre")
    + group("position = [[0.05, 0.05, 0.05], [0.15, 0.15, 0.15]]")
    + group("random = { solid_fraction = 0.1, scale = [0.4, 1.6] }", "ball", "seed = 5")
)


def test_random_places_do_not_overlap(case_of):
    """Fibres, and balls of many sizes, around two that are where they are told to be."""
    particles, box = case_of(MIXTURE).build()
    assert closest(particles) >= 0
    centre, radius, _, _ = oracle.spheres(particles)
    assert (centre - radius[:, None] >= box.lower).all()
    assert (centre + radius[:, None] <= box.upper).all()
    counts = np.bincount(particles.variant)
    assert counts[1] == 2  # in the order of the file
    fibre, ball = (shape.mass_properties(1.0).volume for shape, _ in particles.variants[:2])
    assert abs(counts[0] * fibre - 0.1 * 0.008) <= fibre / 2
    sizes = np.array([shape.diameter for shape, _ in particles.variants[2:]])
    assert abs(np.pi / 6 * (sizes**3).sum() - 0.1 * 0.008) <= 1.6**3 * ball / 2
    assert sizes.min() > 0.004
    assert sizes.max() < 0.016
    # uniform: the mean is off by 0.2 of a standard deviation of the mean only by a chance of 1e-4 at four of them
    assert abs(sizes.mean() - 0.01) < 4 * 0.012 / np.sqrt(12 * len(sizes))


def test_random_places_and_directions_are_isotropic(case_of):
    """Second moments of 600 fibres' directions and means of their places, each within four standard errors."""
    particles, _ = case_of(group("random = { number = 600 }", "fibre"), box_of(0.3)).build()
    axis = oracle.Rotation.from_quat(particles.orientation, scalar_first=True).apply([1.0, 0, 0])
    np.testing.assert_allclose((axis**2).mean(0), 1 / 3, atol=4 * np.sqrt(4 / 45 / 600))  # variance of x²: 4/45
    np.testing.assert_allclose(particles.position.mean(0), 0.15, atol=4 * 0.3 / np.sqrt(12 * 600))


def box_of(edge, more=""):
    return BEGINNING.replace('["20 cm", "20 cm", "20 cm"]', f"[{edge}, {edge}, {edge}]") + more


def test_random_places_use_all_of_a_period(case_of):
    """Spheres reach across periodic faces and keep clear of the images there, but stay off the other walls."""
    groups = group("random = { solid_fraction = 0.25 }")
    particles, _ = case_of(groups, box_of(0.08, 'periodic = ["x", "y"]\n')).build()
    x = particles.position
    assert closest(particles, np.array([0.08, 0.08, 1.0])) >= 0
    assert x[:, :2].min() < 0.005
    assert x[:, :2].max() > 0.075
    assert x[:, 2].min() >= 0.005
    assert x[:, 2].max() <= 0.075
    part = group("random = { number = 20, upper = [0.04, 0.08, 0.08] }")
    x = case_of(part, box_of(0.08, 'periodic = ["x", "y"]\n')).build()[0].position
    assert x[:, 0].min() >= 0.005
    assert x[:, 0].max() <= 0.035


def test_random_places_follow_from_the_seed(case_of):
    one, two = (case_of(MIXTURE).build()[0] for _ in range(2))
    same_state(one, two)
    other = case_of(MIXTURE.replace("seed = 5", "seed = 6")).build()[0]
    n = np.bincount(one.variant)[0]
    assert one.position[:n].tobytes() == other.position[:n].tobytes()
    assert one.position[-1].tobytes() != other.position[-1].tobytes()


def test_what_does_not_fit_is_said(case_of):
    with pytest.raises(ValueError, match=r"particles.0: random found places for 1 of 2 particles in 2"):
        case_of(group("random = { number = 2 }"), box_of(0.011)).build()
    without = BEGINNING.partition("[box]")[0]
    with pytest.raises(ValueError, match=r"particles.0: random needs lower and upper, or a box\n"
                                         r"particles.1: lattice needs an origin, or the file a box"):  # fmt: skip
        case_of(group("random.number = 2") + group("lattice = { sites = [1, 1, 1], pitch = 1 }"), without).build()


def test_speed_is_the_root_mean_square(case_of):
    """Of normally distributed components: variance of |v|² is 2/3 of its mean squared."""
    places = group("lattice = { sites = [16, 16, 16], pitch = 0.0125 }", more='speed = "2 m/s"')
    v = case_of(places).build()[0].velocity
    np.testing.assert_allclose(v.mean(0), 0, atol=1e-14)
    assert (v**2).sum(1).mean() == pytest.approx(4, abs=4 * 4 * np.sqrt(2 / 3 / 4096))


def test_state_comes_from_files(case_of, tmp_path, rng):
    q = rng.normal(size=(5, 4))
    state = {
        "position": rng.uniform(0.05, 0.15, (5, 3)), "orientation": q / np.linalg.norm(q, axis=1)[:, None],
        "velocity": rng.normal(size=(5, 3)), "angular_velocity": rng.normal(size=(5, 3)),
    }  # fmt: skip
    np.savez(tmp_path / "state.npz", **state)
    table = np.column_stack(list(state.values()))
    header = "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"
    np.savetxt(tmp_path / "state.csv", table, delimiter=",", header=header, comments="", fmt="%.17g")
    np.savetxt(tmp_path / "places.CSV", table[:, [2, 1, 0]], delimiter=", ", header="z, y, x", comments="", fmt="%.17g")
    for name in ("state.npz", "state.csv"):
        particles, _ = case_of(group(f'file = "{name}"', "fibre")).build()
        for field, rows in state.items():
            assert getattr(particles, field).tobytes() == rows.tobytes()
    particles, _ = case_of(group('file = "places.CSV"', "fibre", "velocity = [1, 2, 3]")).build()
    np.testing.assert_array_equal(particles.position, state["position"])
    assert particles.velocity.tolist() == [[1, 2, 3]] * 5
    assert particles.orientation.tolist() == [[1, 0, 0, 0]] * 5


@pytest.fixture
def tumbling(case_of, tmp_path):
    """A run of eight fibres that turn, and its last state but one and last, by field."""
    groups = group(
        "lattice = { sites = [2, 2, 2], pitch = 0.06 }", "fibre",
        'orientation = "random"\nspeed = 0.7\nangular_velocity = [11, 2, 3]',
    )  # fmt: skip
    case_of(groups).simulation().run(0.02, output=tmp_path / "run.h5", frames=3)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        return [{name: run.field(name)[k] for name in run.fields} for k in (-2, -1)]


@pytest.mark.parametrize(("frames", "which"), [("-1", 1), ("-2", 0), (":", 1), (":3", 0), ("::2", 0)])
@pytest.mark.few(1)
def test_an_export_is_a_placement_to_the_bit(case_of, cli, tumbling, frames, which):
    """Of one frame, or of several the last one."""
    assert cli("export", "run.h5", "--to", "csv", "--frames", frames).exit_code == 0
    particles, _ = case_of(group('file = "run.csv"', "fibre")).build()
    for name, rows in tumbling[which].items():
        assert getattr(particles, name).tobytes() == rows.tobytes(), name


def test_fields_that_an_export_leaves_out_are_at_rest(case_of, cli, tumbling):
    assert cli("export", "run.h5", "--to", "csv", "--fields", "angular_velocity,position").exit_code == 0
    particles, _ = case_of(group('file = "run.csv"', "fibre")).build()
    for name in ("position", "angular_velocity"):
        assert getattr(particles, name).tobytes() == tumbling[1][name].tobytes()
    assert particles.orientation.tolist() == [[1, 0, 0, 0]] * 8
    assert not particles.velocity.any()
    assert cli("export", "run.h5", "--to", "csv", "--fields", "velocity", "--overwrite").exit_code == 0
    with pytest.raises(ValueError, match=r"particles\.0: .*run\.csv holds no position"):
        case_of(group('file = "run.csv"', "fibre")).build()


@pytest.mark.parametrize("when", ["frame", "time"])
def test_tables_of_pandas_are_placements_in_any_order(case_of, tmp_path, tumbling, when):
    """Headings without units; particles come by their numbers, and frames by theirs or by time."""
    with dem.Trajectory(tmp_path / "run.h5") as run:
        table = run.to_pandas().sample(frac=1, random_state=1)
    table.drop(columns={"frame", "time"} - {when}).to_csv(tmp_path / "table.csv", index=False)
    particles, _ = case_of(group('file = "table.csv"', "fibre")).build()
    for name, rows in tumbling[1].items():
        assert getattr(particles, name).tobytes() == rows.tobytes(), name


@pytest.mark.parametrize(("text", "said"), [
    ("frame,x [m],y [m],z [mm]\n0,0,0,0\n", r"has a column z \[mm\], expected z \[m\]"),
    ("frame,x,y,z,colour\n0,0,0,0,1\n", "unknown column of .* 'colour': known are x, y, z, v_x"),
    ("x,x [m],y,z\n0,0,0,0\n", "has 2 columns x: leave one"),
    ("frame,particle,x,y,z\n0,0,0,0,0\n1,0,0,0,0\n1,0,1,1,1\n", "has in its last frame particle 0 2 times"),
    ("particle,x,y,z\n7,0,0,0\n7,0,0,0\n", "has in its last frame particle 7 2 times, expected once"),
    ("kind,x,y,z\n0,0,0,0\n1,1,1,1\n", "particles of kinds 0, 1, but a group has one shape and material: give a"),
])  # fmt: skip
def test_tables_that_are_no_group_are_refused(case_of, tmp_path, text, said):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(ValueError, match=said):
        case_of(group('file = "table.csv"')).build()


def test_a_run_goes_on_from_the_last_frame_of_another(case_of, tmp_path):
    groups = group("lattice = { sites = [3, 3, 1], pitch = 0.04 }", "fibre", "angular_velocity = [1, 2, 3]")
    sim = case_of(groups + group("position = [[0.1, 0.1, 0.15]]")).simulation()
    sim.run(0.02, output=tmp_path / "first.h5", frames=2)
    again = case_of('[[particles]]\nlast_frame = "first.h5"\n').build()[0]
    same_state(again, sim.particles)
    for name in ("kinds", "variants"):
        assert getattr(again, name) == getattr(sim.particles, name)
    for name in ("kind", "variant"):
        np.testing.assert_array_equal(getattr(again, name), getattr(sim.particles, name))
    heavier = case_of(
        '[materials.lead]\nyoung = 1e8\npoisson = 0.4\ndensity = "11.3 g/cm3"\n'
        '[[particles]]\nlast_frame = "first.h5"\nmaterial = "lead"\nvelocity = [0, 0, 0]\n'
    ).build()[0]  # fmt: skip
    assert not heavier.velocity.any()
    assert {material.density for _, material in heavier.variants} == {11300.0}
    assert [shape for shape, _ in heavier.variants] == [shape for shape, _ in again.variants]
    with pytest.raises(ValueError, match=r"particles.0: orientation of particle 0 has norm 2, expected 1"):
        case_of('[[particles]]\nlast_frame = "first.h5"\norientation = [2, 0, 0, 0]\n').build()


def test_a_run_does_not_overwrite_the_run_that_it_begins_with(cli, tmp_path):
    """Not under another name either."""
    (tmp_path / "one.toml").write_text(BEGINNING + group("position = [[0.1, 0.1, 0.1]]"))
    assert cli("run", "one.toml", "--duration", "1e-5", "--quiet").exit_code == 0
    before = (tmp_path / "one.h5").read_bytes()
    (tmp_path / "link.h5").symlink_to("one.h5")
    (tmp_path / "two.toml").write_text(BEGINNING + '[[particles]]\nlast_frame = "one.h5"\n')
    for name in ("one.h5", "link.h5"):
        refused = cli("run", "two.toml", "--duration", "1e-5", "-o", name, "--overwrite")
        assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
            2, f"dem: output {name} cannot be written: the run begins with the last frame of this file",
        )  # fmt: skip
    assert (tmp_path / "one.h5").read_bytes() == before


# examples of built-in cases

FEW = {"many-fibres": {"n": 20}, "many-spheres": {"n": 30}, "hard-spheres": {"n": 40, "roughness": 0.1},
       "granular-cooling": {"n": 50}, "stochastic-cooling": {"n": 90, "roughness": 0.1, "periodic": "x"},
       "turbulent-gas": {"n": 80}, "cellular-fibres": {"n": 20}, "fluidised-bed": {"n": 60},
       "sheared-fibres": {"n": 20}, "chute": {"n": 30, "length": 4, "width": 3}}  # fmt: skip


# in fluids, or among walls: each wants kernels of its own, and is run in plain Python as well, see test_interpreted
LONG = ("settling-spheres", "settling-fibres", "jeffery-orbit", "sheared-fibres", "cellular-fibres", "fibres-in-water",
        "fluidised-bed", "rotating-drum", "hopper", "vibrated-bed", "mixer", "fibres-in-sphere", "chute",
        "dice", "ellipsoid-packing", "ellipsoids-hopper", "superellipsoid-drum", "tablets-heap",
        "heap", "many-fibres", "many-spheres", "turbulent-gas", "draw-down", "ledge", "drum-test", "bulk-density",
        "uniaxial-compression", "direct-shear", "drop-test", "incline-test", "flow-energy", "ring-shear",
        "jenike-shear", "rolling-pendulum", "shear-head",
        "heated-bed", "heated-drum", "heated-row", "hot-fluidised-bed", "self-heating-gas")  # fmt: skip
# their beds take minutes: always by name, see tests/plain/test_bulk_benchmarks.py
BEDS = ("silo", "silo-100k", "drum", "drum-38k", "impact", "impact-25k")
# with bonds, inserters or couplings that their functions make: by name, few as they may be
MADE = ("breaking-rods", "cantilever", "fibre-bale", "flexible-fibre", "fluidised-bed", "hot-fluidised-bed", "rain",
        "isotropic-compression", "oedometer", "triaxial", "simple-shear", "cyclic-shear", "dice")  # fmt: skip
WHOLE = [
    pytest.param(name, False, marks=pytest.mark.slow if name in (*LONG, *MADE) else ())
    for name, kind in dem.cases().items()
    if not issubclass(kind, StudyCase) and name not in BEDS
]


PART = [pytest.param(name, True, marks=pytest.mark.slow if name in LONG else ()) for name in FEW]


@pytest.mark.parametrize(("name", "few"), [*WHOLE, *PART])
@pytest.mark.few(9)
def test_examples_run_to_the_same_bytes(name, few, tmp_path):
    """Written out for few particles, by name for many and among walls; final state and energies to the last bit."""
    kind = dem.cases()[name]
    stepped = {"threads": 1} if issubclass(kind, dem.Case) else {}
    case = kind(duration=0.01, **stepped, **(FEW[name] if few else {}))
    path = tmp_path / "example.toml"
    path.write_text(example(case))
    again = read(path).case
    assert (again.duration, again.frames) == (case.duration, case.frames)
    one, two = case.simulation(), again.simulation()
    many = len(one.particles) > 100 or len(getattr(one, "walls", ())) > 0
    assert ("case" in tomllib.loads(path.read_text())) == (name in MADE or many)
    assert one.box == two.box
    assert one.settings == two.settings
    for sim in (one, two):
        sim.run(0.01)
    same_state(one.particles, two.particles)
    assert one.energy() == two.energy()


@pytest.mark.parametrize("parameters", [
    {"friction": 0.3, "wall_friction": 0.1, "restitution": 0.9}, {"angle": 12.3, "spheres": 6}, {"aspect_ratio": 2.9},
    {"poisson": 0.23},
])  # fmt: skip
@pytest.mark.few(1)
def test_examples_hold_what_a_case_is_made_of(parameters, tmp_path):
    case = dem.cases()["nine-fibres"](**parameters)
    (tmp_path / "example.toml").write_text(example(case))
    again = read(tmp_path / "example.toml").case
    (one, box), (two, same_box) = case.build(), again.build()
    same_state(one, two)
    assert (one.kinds, one.variants) == (two.kinds, two.variants)
    assert box == same_box
    assert sorted(map(repr, case.contacts())) == sorted(map(repr, again.contacts()))


@pytest.mark.parametrize("name", [n for n, kind in dem.cases().items() if issubclass(kind, StudyCase)])
@pytest.mark.few(1)
def test_examples_of_tables_are_the_same_case(name, tmp_path):
    case = dem.cases()[name](duration=0.5)
    (tmp_path / "example.toml").write_text(example(case))
    assert read(tmp_path / "example.toml").case == case


def uncommented(text):
    """What a case file would hold with the # taken away from all keys and tables."""
    return tomllib.loads(re.sub(r"^# (?=\w+ = |\[)", "", text, flags=re.MULTILINE))


def keys_in(model, content):
    """Tables and their keys, as a file has them."""
    found = {(model, key) for key in content}
    for key, value in content.items():
        inner = table_in(model.model_fields[key].annotation)
        if inner is not None:
            kind = get_origin(without_none(model.model_fields[key].annotation))
            for each in value if kind is list else value.values() if kind is dict else [value]:
                found |= keys_in(inner, each)
    return found


def keys_of(model):
    """Tables and their keys, as the schema has them."""
    found = {(model, key) for key in model.model_fields}
    for field in model.model_fields.values():
        if inner := table_in(field.annotation):
            found |= keys_of(inner)
    return found


CASES_WRITTEN_OUT = [("nine-fibres", {}), ("single-fibre", {}), ("many-spheres", {"n": 5}), ("hard-spheres", {"n": 5}),
                     ("stochastic-cooling", {"n": 50})]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), CASES_WRITTEN_OUT)
@pytest.mark.few(1)
def test_an_example_has_every_key_there_is(name, parameters):
    text = example(dem.cases()[name](**parameters))
    content = uncommented(text)
    model = METHODS[content.get("method", "time-steps")]
    assert keys_in(model, content) == keys_of(model)
    methods = {"hard-spheres": "hard-spheres", "stochastic-cooling": "stochastic"}
    assert content["method"] == methods.get(name, "time-steps")


def test_a_blank_file_has_every_key_of_all_methods():
    text = blank()
    stepped, _, rest = text.partition("# With method = ")
    hard, _, drawn = rest.partition("# With method = ")
    told = uncommented(drawn.partition(":\n")[2])
    own = StochasticTable.model_fields.keys() - SteppedTable.model_fields.keys() - {"impacts"} | {"cell"}
    assert told.keys() == own
    assert keys_in(TurbulenceTable, told["turbulence"]) == keys_of(TurbulenceTable)
    assert keys_in(SteppedTable, uncommented(stepped)) == keys_of(SteppedTable)
    impacts = uncommented(hard.partition(":\n")[2])["impacts"]
    assert keys_in(ImpactTable, impacts) == keys_of(ImpactTable)
    assert re.search("without (.*):", hard)[1].split(", ") == [
        key for key in SteppedTable.model_fields if key not in HardTable.model_fields
    ]


def test_what_stands_behind_the_hash_would_do(tmp_path, monkeypatch):
    """All at once, defaults and examples are right but for what excludes each other: no key, type or range is wrong."""
    monkeypatch.chdir(tmp_path)
    for name in ("start.csv", "run.h5", "flow.h5", "drum.stl", "grain.stl", "sieves.csv"):
        (tmp_path / name).touch()
    stepped, hard, chance = blank().split("# With method = ")
    content = uncommented(stepped)
    with pytest.raises(ValidationError) as wrong:
        SteppedTable.model_validate(content)
    assert {error["type"] for error in wrong.value.errors()} == {"value_error"}
    assert {".".join(map(str, error["loc"])) for error in wrong.value.errors()} == {
        "cell", "shapes.bead", "particles.0.random.sizes", "contacts.0",
        "materials.glass.normal", "materials.glass.damping", "materials.glass.adhesion", "fluid.flow",
        "fluid.cells", "walls.0.pid", "inserters.0.region.pid", "outlets.0.region", "scalars.0",
    }  # fmt: skip
    impacts, drawn = (uncommented(part.partition(":\n")[2]) for part in (hard, chance))
    assert ImpactTable(**impacts["impacts"])
    assert TurbulenceTable(**drawn.pop("turbulence"))
    for key, value in drawn.items():
        StochasticTable.__pydantic_validator__.validate_assignment(StochasticTable.model_construct(), key, value)
    for name, model in (("lattice", LatticeTable), ("random", RandomTable)):
        values = content["particles"][0][name]
        assert model(**{key: value for key, value in values.items() if key not in ("solid_fraction", "sizes")})
    box = tomllib.loads(blank())["box"]  # a default is one: with it the table is as without it
    for key in ("lower", "roughness", "seed"):
        assert BoxTable(**box, **{key: content["box"][key]}) == BoxTable(**box)


def test_comments_tell_units_words_and_limits():
    lines = {}
    for line in blank().splitlines():
        if re.search(" = .*  # ", line):
            lines.setdefault(line.removeprefix("# ").split(" = ")[0], []).append(line)
    for key, told in {
        "diameter": "[m] (above 0)", "roughness": "[m] (above 0)", "poisson": "(above -1 and",
        "type": "(uniform, shear, cell, rotating", "open": "(x-, x+, y-, y+, z-, z+)", "compression": "(gzip or lzf)",
        "fields": "(position, velocity, orientation, angular_velocity, temperature)",
        "contact_rule": "(geometric, least, none)",
        "speed": "[m/s]", "orientation": "(random or as-given)", "float32": "(true or false)", "frequency": "[Hz] (at",
        "viscosity": "[Pa s] (above 0)", "drag": "(stokes, schiller-naumann, hoelzer-sommerfeld, rosendahl, zastawny",
    }.items():  # fmt: skip
        assert any(told in line for line in lines[key]), lines[key]
    fields = {name: field for name, field in STATE.items() if not field.hidden}
    columns = [heading for field in fields.values() for heading in field.headings]
    placed = next(line for line in blank().splitlines() if line.startswith('# file = "start.csv"'))
    assert all(word in placed for word in (*columns, *fields))


@pytest.mark.slow
def test_every_key_of_an_example_is_commented_on():
    text = example(dem.cases()["nine-fibres"]())
    for key in ("duration", "integrator", "young", "aspect_ratio", "position", "velocity", "upper", "frames"):
        line = next(line for line in text.splitlines() if line.startswith(key))
        assert "  # " in line
    by_name = uncommented(example(dem.cases()["many-fibres"]()))
    assert by_name["output"].keys() == OutputTable.model_fields.keys() - {"frames"}  # which is a parameter


def test_a_blank_file_runs(cli, tmp_path):
    assert cli("init", "--blank").stdout.startswith("blank.toml: run it with")
    done = cli("check", "blank.toml")
    said = re.sub(r"^compiling kernels \(.*\): .*, [\d.]+ s\n", "", done.stderr)  # by whoever is the first
    assert (done.exit_code, said, done.stdout.splitlines()[0]) == (0, "", "blank.toml: nothing is wrong with it")
    for words in (("single-fibre", "--blank"), ("--blank", "--set", "n=3"), ("--set", "n=3")):
        refused = cli("init", *words)
        assert (refused.exit_code, refused.stderr) == (2, "dem: give a case, see dem cases, or --blank alone\n")


def test_init_run_and_provenance(cli, tmp_path):
    """From an example to a trajectory that holds what the file says, which makes the same case again."""
    assert cli("init", "single-fibre", "--set", "angle=40", "-o", "mine.toml").exit_code == 0
    for name in ("mine", "mine.h5"):
        assert "but a case file is written: let it end in .toml" in cli("init", "nine-fibres", "-o", name).stderr
    refused = cli("init", "nine-fibres", "-o", "mine.toml")
    assert refused.exit_code == 2
    assert "output mine.toml exists already" in refused.stderr
    words = ["--duration", "0.001", "--frames", "2", "--time-step", "1e-5", "--threads", "1"]
    done = cli("run", "mine.toml", *words, "--set", "output.file=kept.h5")
    assert done.exit_code == 0
    assert "kept.h5: 1 particle, 100 steps" in done.stdout
    assert cli("run", "mine.toml", *words, "-o", "other.h5", "--quiet").exit_code == 0
    assert cli("run", "mine.toml", *words, "--quiet").exit_code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"mine.toml", "kept.h5", "other.h5", "mine.h5"}
    with dem.Trajectory(tmp_path / "mine.h5") as run:
        assert len(run) == 3
        told, position = run.input, run.position[-1]
    assert told["case"] == "mine"
    again = resolved(told["case_file"], "mine").case
    assert again == read(tmp_path / "mine.toml", {"duration": 1e-3, "frames": 2, "time_step": 1e-5, "threads": 1}).case
    sim = again.simulation()
    sim.run(again.duration)
    assert sim.particles.position.tobytes() == position.tobytes()
    assert cli("init", "torque-sphere", "-o", "mine.toml", "--overwrite").exit_code == 0
    assert cli("run", "mine.toml").exit_code == 0
    assert (tmp_path / "mine.csv").exists()


# what is foreseen


def test_what_is_foreseen_agrees_with_closed_forms(case_of):
    """Masses of spheres π D³ ρ/6, of the published fibre 5 π r³ ρ, and what they fill."""
    groups = group("lattice = { sites = [5, 4, 3], pitch = 0.03 }") + group("position = [[0.1, 0.1, 0.19]]", "fibre")
    case = case_of(groups)
    seen = preview.measure_progress(case.simulation(), case.duration)
    ball, fibre = 1100 * math.pi / 6 * 1e-6, 1100 * 5 * math.pi * 0.005**3
    assert seen.counts == {"ball": 60, "fibre": 1}
    assert seen.particles == 61
    assert seen.mass == pytest.approx(60 * ball + fibre, rel=1e-12)
    assert seen.masses == pytest.approx((ball, fibre), rel=1e-12)
    assert seen.solid_fraction == pytest.approx((60 * ball + fibre) / 1100 / 0.2**3, rel=1e-12)
    assert seen.memory > 61 * 2 * 13 * 8  # the state, the engine's and the user's
    assert seen.pace > 0


def test_the_time_step_may_be_left_to_the_engine(case_of):
    beginning = BEGINNING.replace('"10 us"', '"auto"')
    assert beginning != BEGINNING
    sim = case_of(group("position = [[0.1, 0.1, 0.1]]"), beginning).simulation()
    assert sim.time_step == sim.advice().advised
    assert sim.advice().steps_per_contact >= 50


def test_check_says_what_run_would(cli, case_of, tmp_path):
    """A contact of fewer than five steps is refused, one of fewer than twenty warned of."""
    coarse = BEGINNING + group("position = [[0.1, 0.1, 0.1]]")
    contact = case_of(group("position = [[0.1, 0.1, 0.1]]")).simulation().advice().contact_time
    for steps, status, word in ((3, 2, "dem: coarse-time-step: "), (10, 0, "dem: warning [coarse-time-step]: ")):
        (tmp_path / "mine.toml").write_text(coarse.replace('"10 us"', str(contact / steps)))
        shown = cli("check", "mine.toml")
        assert (shown.exit_code, shown.stderr[: len(word)]) == (status, word)
        assert "nothing is wrong" not in shown.stdout


def test_check_judges_the_beginning_as_a_run_is_judged(cli, tmp_path, monkeypatch):
    """A ball that sinks into the floor by half its radius: no warning before, but no good verdict either."""
    monkeypatch.setattr(preview, "PROBE", 60.0)  # s: for all of the run, however slow the machine
    (tmp_path / "mine.toml").write_text(
        BEGINNING.replace('"50 MPa"', "1e5").replace('"1 ms"', "0.01").replace('"10 us"', "1e-5")
        + group("position = [[0.1, 0.1, 0.0055]]\nvelocity = [0, 0, -1.5]")
    )
    shown, done = cli("check", "mine.toml"), cli("run", "mine.toml", "--strict")
    assert (shown.exit_code, shown.stderr, done.exit_code, done.stderr) == (0, "", 1, "")
    text, verdict = " ".join(shown.stdout.split()), done.stdout.splitlines()[1]
    assert verdict.startswith("WARN: 1000 steps")
    assert text.startswith("mine.toml: it would run, but may be inaccurate: see the warnings")
    assert f"so far {verdict}" in text


def test_check_shows_it(cli, tmp_path):
    (tmp_path / "mine.toml").write_text(BEGINNING + group("position = [[0.1, 0.1, 0.1]]"))
    shown = cli("check", "mine.toml")
    assert shown.exit_code == 0
    text = " ".join(shown.stdout.split())
    assert "mine.toml: nothing is wrong with it particles 1: 1 x ball mass 0.000575959 kg" in text
    assert "box 0.2 x 0.2 x 0.2 m solid fraction 6.545e-05 time step 1e-05 s, improved-pcdm" in text
    assert "duration 0.001 s = 100 steps" in text
    assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]
    assert "a table with some 201 rows" in cli("check", "torque-sphere").stdout


def test_check_knows_the_schemes_of_cases_that_write_a_table(cli):
    done = cli("check", "torque-sphere", "--set", "integrator=pcmd")
    assert done.exit_code == 2
    assert done.stderr.startswith("dem: unknown integrator 'pcmd': did you mean pcdm?")


def test_the_example_of_the_guide_fills_its_box(cli, tmp_path):
    text = (Path(__file__).parent.parent / "docs/guide/case-files.md").read_text()
    (example_text,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "gas.toml").write_text(example_text)
    particles, _ = read(tmp_path / "gas.toml").case.build()
    assert [kind.name for kind in particles.kinds] == ["rod", "bead"]
    # rods fill a tenth of the box as nearly as their number can, each of 5 π r³
    rods = np.count_nonzero(particles.kind == 0)
    assert abs(rods * 5 * math.pi * 0.002**3 - 0.1 * 0.05 * 0.05 * 0.1) <= 2.5 * math.pi * 0.002**3
    assert len(particles) == rods + 100


def test_the_last_frame_of_clumps_is_what_it_was(tmp_path, nylon):
    """A regular tetrahedron has no axes of its own: found anew, they would not be those that the state refers to."""
    rows = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    clump = dem.Clump(offsets=0.0015 * rows @ np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0],
                      radii=[0.002] * 4)  # fmt: skip
    sim = dem.Simulation(dem.Particles(clump, nylon, position=[[0.1, 0.1, 0.1]]), time_step=1e-5)
    sim.run(1e-3, output=tmp_path / "first.h5", frames=1)
    last = last_frame(tmp_path / "first.h5")
    np.testing.assert_array_equal(last.variants[0][0].offsets, clump.offsets)
    np.testing.assert_array_equal(last.orientation, sim.particles.orientation)


def test_tables_and_settings_that_do_not_apply_are_refused(cli, tmp_path):
    for words in (["--strict"], ["--fields", "position"], ["--checkpoint-every", "1min"], ["--float32"]):
        assert "writes a table: leave out" in cli("run", "torque-sphere", *words).stderr
    (tmp_path / "mine.toml").write_text('case = "single-fibre"')
    said = cli("run", "mine.toml", "--set", "material.time_step=1e-3").stderr
    assert "a file that names a case has parameters and output only" in said


def test_a_file_says_how_to_write(cli, tmp_path):
    text = tmp_path / "mine.toml"
    text.write_text('case = "single-fibre"\n[output]\nfields = ["velocity"]\nfloat32 = true\ncompression = "lzf"\n'
                    'checkpoint_every = "5 min"\ncontacts = true\n')  # fmt: skip
    words = ("run", "mine.toml", "--duration", "1e-3", "--time-step", "1e-5", "--frames", "2", "--quiet")
    assert cli(*words).exit_code == 0
    assert cli(*words, "-o", "gzip.h5", "--compression", "gzip").exit_code == 0  # the command line has the last word
    for name, compression in (("mine.h5", "lzf"), ("gzip.h5", "gzip")):
        with h5py.File(tmp_path / name) as file:
            stored = file["particles/trajectory/velocity/value"]
            assert (stored.dtype, stored.compression) == (np.float32, compression)
            assert "orientation" not in file["particles/trajectory"]
            assert "contacts" in file
    text.write_text(text.read_text().replace("lzf", "zip").replace("velocity", "speed").replace("5 min", "soon"))
    said = cli(*words, "-o", "none.h5").stderr
    assert "output.compression is 'zip'" in said
    assert "unknown field 'speed'" in said
    assert "checkpoint_every is 'soon', expected a time such as '10 min'" in said
