"""Flow fields and fluids: values and gradients, grids, functions, refusals, bitwise repeatable runs."""

import math
import re

import h5py
import numpy as np
import pytest
from dem.kernels.fluid import sample_of

import dem
from dem.soft.fluid import fluid_setup

GLASS = dem.Material(young=1e5, poisson=0.22, density=2500.0)
WATER = {"density": 1000.0, "viscosity": 1e-3}


def stirring(t, x, y, z):
    """A flow that all three components, places and times show in."""
    return (math.sin(3 * y + t), x * z, math.cos(2 * t) * x * y)


def bead(position=(0.01, 0.01, 0.01), **state):
    return dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[position], **state)


def field_of(flow, **fluid):
    return fluid_setup.fluid_of(dem.Fluid(**WATER | fluid, velocity=flow), bead(), 1e-3).field


def grid(function, nodes=(5, 6, 7), spacing=(0.1, 0.2, 0.15), times=None, **options):
    """A function on a grid about the origin."""
    origin = (-0.2, -0.5, -0.45)
    places = (o + h * np.arange(n) for o, h, n in zip(origin, spacing, nodes, strict=True))
    x, y, z = np.meshgrid(*places, indexing="ij")
    values = np.array([np.stack(np.broadcast_arrays(*function(t, x, y, z), x)[:3], -1) for t in times or [0.0]])
    known = {"time": times} if times else {}
    return dem.GriddedFlow(velocity=values if times else values[0], spacing=spacing, origin=origin, **known, **options)


def affine(t, x, y, z):
    """Linear in space and time, so that a grid has it exactly."""
    return (1 + 2 * x - y + 3 * t * z, 4 * z + t * x, 0.5 * y - x + 2 * t)


FLOWS = {
    "oscillating": dem.UniformFlow(velocity=(1, 2, 3), amplitude=(0.5, 0, -0.2), frequency=0.4, phase=0.3),
    "shear": dem.ShearFlow(
        rate=3.0, direction=(1, 1, 0), gradient=(0, 0, 2), centre=(0.1, 0.2, 0.3), velocity=(1, 0, 0)
    ),
    "rotating": dem.RotatingFlow(angular_velocity=(1, 2, 3), centre=(0.1, 0, 0)),
    "channel": dem.ChannelFlow(peak=2.0, half_gap=0.9, direction="y", normal="x", centre=(0.1, 0, 0)),
    "pipe": dem.PipeFlow(peak=2.0, radius=0.9, direction=(1, 1, 1)),
    "taylor-green": dem.TaylorGreenFlow(speed=0.7, wavenumber=2.0, decays=True),
    "abc": dem.ABCFlow(a=0.3, b=0.4, c=0.5, wavenumber=2.0, decays=True),
    "grid": grid(affine, times=[0.0, 0.3, 1.0]),
    "function": dem.FunctionFlow(function=stirring),
}


@pytest.mark.parametrize("name", FLOWS)
def test_gradients_and_changes_of_flows_are_those_of_their_velocity(name):
    """Against central differences of the velocity alone, at a place and time."""
    field = field_of(FLOWS[name], viscosity=50.0)
    t, x, h = 0.4, np.array([0.13, -0.22, 0.17]), 1e-5

    def u(t, x):
        return np.array(sample_of(field, t, tuple(x)).velocity)

    found = sample_of(field, t, tuple(x))
    gradient = np.array([(u(t, x + h * e) - u(t, x - h * e)) / (2 * h) for e in np.eye(3)]).T
    assert np.array(found.gradient).reshape(3, 3) == pytest.approx(gradient, abs=2e-8)
    rounding = 1e-6 if name == "function" else 2e-8  # which is differentiated over half a millisecond
    assert np.array(found.change) == pytest.approx((u(t + h, x) - u(t - h, x)) / (2 * h), abs=rounding)
    assert found.outside == 0


def test_velocities_of_flows():
    """Values by hand: on the axis of a pipe, in its wall and beyond, in a channel, in vortices that fade."""
    pipe = field_of(FLOWS["pipe"])
    e = np.ones(3) / math.sqrt(3)
    across = np.array([1, -1, 0]) / math.sqrt(2)
    for s, speed in ((0.0, 2.0), (0.45, 1.5), (0.9, 0.0), (1.2, 0.0)):
        assert sample_of(pipe, 0.0, tuple(7 * e + s * across)).velocity == pytest.approx(speed * e, abs=1e-14)
    assert sample_of(field_of(FLOWS["channel"]), 0.0, (0.55, 9.0, 9.0)).velocity == pytest.approx((0, 1.5, 0))
    assert sample_of(field_of(FLOWS["rotating"]), 0.0, (0.1, 1.0, 0.0)).velocity == pytest.approx((-3, 0, 1))
    shear = sample_of(field_of(FLOWS["shear"]), 0.0, (0.1, 0.2, 0.8)).velocity
    assert shear == pytest.approx((1 + 1.5 / math.sqrt(2), 1.5 / math.sqrt(2), 0))
    x = (0.3, 0.5, 0.7)
    fading = field_of(FLOWS["taylor-green"], viscosity=50.0)
    fade = math.exp(-2 * 4 * 50 / 1000 * 0.6)
    expected = (0.7 * fade * math.sin(0.6) * math.cos(1.0), -0.7 * fade * math.cos(0.6) * math.sin(1.0), 0)
    assert sample_of(fading, 0.6, x).velocity == pytest.approx(expected)


def test_vortices_of_taylor_and_green_accelerate_the_fluid_as_they_should():
    """Du/Dt = U²k/2 (sin 2kx, sin 2ky, 0) of those that last."""
    flow = dem.TaylorGreenFlow(speed=0.7, wavenumber=2.0)
    found = sample_of(field_of(flow), 0.0, (0.3, 0.5, 0.7))
    acceleration = np.array(found.gradient).reshape(3, 3) @ found.velocity
    assert acceleration == pytest.approx(0.49 * np.array([math.sin(1.2), math.sin(2.0), 0]), abs=1e-14)


def test_the_vorticity_of_an_abc_flow_is_its_velocity():
    """∇×u = k u."""
    found = sample_of(field_of(dem.ABCFlow(a=0.3, b=0.4, c=0.5, wavenumber=2.0)), 0.0, (0.3, 0.5, 0.7))
    g = np.array(found.gradient).reshape(3, 3)
    curl = np.array([g[2, 1] - g[1, 2], g[0, 2] - g[2, 0], g[1, 0] - g[0, 1]])
    assert curl == pytest.approx(2.0 * np.array(found.velocity), abs=1e-14)


def test_a_grid_has_linear_flows_exactly():
    """Up to its edges, and between its times; beyond both it stands still, and says so."""
    field = field_of(FLOWS["grid"])
    inside = [(0.0, (-0.2, -0.5, -0.45)), (1.0, (0.2, 0.5, 0.45)), (0.17, (0.013, 0.41, -0.33)), (0.3, (0, 0.1, 0))]
    for t, x in inside:
        found = sample_of(field, t, x)
        assert found.velocity == pytest.approx(affine(t, *x), abs=1e-14)
        assert found.outside == 0
    for t, x, at, seen in ((2.0, (0, 0, 0), 1.0, (0, 0, 0)), (0.5, (0.9, 0.1, -0.7), 0.5, (0.2, 0.1, -0.45))):
        found = sample_of(field, t, x)
        assert found.velocity == pytest.approx(affine(at, *seen), abs=1e-14)
        assert found.outside == 1


def test_a_periodic_grid_goes_on():
    """A wave that fits it is the same a period on; interpolation is of second order in the spacing."""
    errors = []
    for n in (16, 32):
        x = 0.8 * np.arange(n) / n
        values = np.zeros((n, 2, 2, 3))
        values[..., 1] = np.sin(2 * np.pi * x / 0.8)[:, None, None]
        field = field_of(dem.GriddedFlow(velocity=values, spacing=(0.8 / n, 1, 1), periodic="xyz"))
        places = np.linspace(-1.5, 2.1, 97)
        found = [sample_of(field, 0.0, (place, 0.3, 5.7)) for place in places]
        assert not any(each.outside for each in found)
        exact = np.sin(2 * np.pi * places / 0.8), 2 * np.pi / 0.8 * np.cos(2 * np.pi * places / 0.8)
        got = np.array([each.velocity[1] for each in found]), np.array([each.gradient[3] for each in found])
        errors.append([np.abs(a - b).max() for a, b in zip(got, exact, strict=True)])
    assert np.array(errors[0]) / errors[1] == pytest.approx(4, rel=0.1)


def test_a_grid_that_ends_at_the_walls_covers_the_box():
    """To rounding, which differs from length to length."""
    length = next(x for x in 0.01 * np.arange(1, 99) / 7 if ((x - 0.0) / (x / 31)) > 31)
    flow = dem.GriddedFlow(velocity=np.zeros((32, 32, 32, 3)), spacing=float(length / 31))
    box = dem.Box((0, 0, 0), (length,) * 3, GLASS)
    in_fluid(bead((0.001, 0.001, 0.001)), box, velocity=flow)
    assert sample_of(field_of(flow), 0.0, (length, 0.0, length)).outside == 0


def write_grid(path, u="m s-1", x="m", **changed):
    """A file with a flow on 2 x 3 x 4 nodes; None leaves something out."""
    axes = {axis: 0.01 * np.arange(k + 2) for k, axis in enumerate("xyz")}
    known = axes | {"velocity": np.arange(72.0).reshape(2, 3, 4, 3)} | changed
    known = {name: values for name, values in known.items() if values is not None}
    if path.suffix == ".npz":
        np.savez(path, **known)
        return path
    with h5py.File(path, "w") as file:
        for name, values in known.items():
            file[name] = values
            unit = {"velocity": u, "time": "s"}.get(name, x)
            if unit:
                file[name].attrs["unit"] = unit
    return path


@pytest.mark.parametrize("name", ["flow.h5", "flow.npz"])
def test_grids_from_files(tmp_path, name):
    flow = dem.GriddedFlow.read(write_grid(tmp_path / name, time=[0.0], velocity=np.ones((1, 2, 3, 4, 3))))
    assert flow.spacing == pytest.approx((0.01, 0.01, 0.01), rel=1e-14)
    assert flow.velocity.shape == (1, 2, 3, 4, 3)
    flow = dem.GriddedFlow.read(write_grid(tmp_path / name), periodic=["x"])
    assert flow.velocity[0].ravel().tolist() == list(range(72))
    assert flow.periodic == ("x",)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"u": None}, "velocity of .* has the unit none: let its attribute unit say m s-1"),
        ({"x": "cm"}, "x of .* has the unit cm"),
        ({"y": None}, "has no y: a grid has velocity, x, y and z"),
        ({"z": [0, 1, 2, 4.0]}, "z of .* is not at least two nodes, ascending and evenly spaced"),
        ({"z": 0.1 * np.arange(5)}, r"has shape \(2, 3, 4, 3\), its axes have \(2, 3, 5\) nodes"),
    ],
)
def test_files_of_grids_that_say_too_little(tmp_path, changed, said):
    with pytest.raises(ValueError, match=said):
        dem.GriddedFlow.read(write_grid(tmp_path / "flow.h5", **changed))


def holes():
    values = np.zeros((3, 3, 3, 3))
    values[1, 1, 2, 0] = math.nan
    return values


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dem.Fluid(density=1000, viscosity=0), "viscosity is 0 Pa s, expected a finite number above 0"),
        (lambda: dem.Fluid(density=-1, viscosity=1), "density is -1 kg/m3"),
        (lambda: dem.Fluid(**WATER, drag="schiller"), "unknown drag 'schiller'"),
        (lambda: dem.Fluid(**WATER, lift="magnus"), "unknown lift"),
        (lambda: dem.Fluid(**WATER, velocity=(0, 0)), "velocity has shape"),
        (lambda: dem.Fluid(**WATER, velocity=lambda t, x: 0), r"expected a function of \(t, x, y, z\)"),
        (lambda: dem.GriddedFlow(velocity=holes(), spacing=1), "velocity of the grid is not finite in 1 place"),
        (lambda: dem.GriddedFlow(velocity=np.zeros((1, 3, 3, 3)), spacing=1), "at least two nodes along each axis"),
        (lambda: dem.GriddedFlow(velocity=np.zeros((2, 3, 3, 3)), spacing=(1, 0, 1)), "smallest spacing of the grid"),
        (lambda: grid(affine, times=[1.0, 0.5]), "expected 2 ascending"),
        (lambda: dem.ShearFlow(rate=1, direction="x", gradient="x"), "expected two at right angles"),
        (lambda: dem.PipeFlow(peak=1, radius=0), "radius is 0"),
        (lambda: dem.PipeFlow(peak=1, radius=1, direction=(0, 0, 0)), "expected a direction"),
        (lambda: dem.TaylorGreenFlow(speed=1, wavenumber=-1), "wavenumber is -1"),
    ],
)
def test_fluids_that_cannot_be(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()


ROD = dem.Fibre(diameter=1e-3, aspect_ratio=3)


def in_fluid(particles=None, box=None, dt=1e-3, integrator="improved-pcdm", **fluid):
    given = WATER | fluid
    return dem.Simulation(
        bead() if particles is None else particles, box, fluid=dem.Fluid(**given), time_step=dt, integrator=integrator
    )


def test_simulations_that_cannot_be():
    small = grid(affine)
    with pytest.raises(
        ValueError, match=r"particle 0 at \(1, 0, 0\) m is off the grid of GriddedFlow\(5 x 6 x 7 nodes"
    ):
        in_fluid(bead((1.0, 0.0, 0.0)), velocity=small)
    with pytest.raises(ValueError, match="does not cover the box"):
        in_fluid(bead((0.0, 0.0, 0.0)), dem.Box((-1, -1, -1), (1, 1, 1), GLASS), velocity=small)
    rod = dem.Particles(ROD, GLASS, position=[(0, 0, 0)])
    with pytest.raises(ValueError, match="lift and magnus are of spheres"):
        in_fluid(rod, lift="mei")
    with pytest.raises(ValueError, match="omelyan is not stable then: take improved-pcdm or splitting"):
        in_fluid(rod, dt=0.1, integrator="omelyan", viscosity=1.0)
    with pytest.raises(TypeError, match=r"fluid is str, expected dem\.Fluid or None"):
        dem.Simulation(bead(), fluid="water", time_step=1e-3)
    with pytest.raises(TypeError, match="at t = x = y = z = 0, expected three numbers"):
        in_fluid(velocity=lambda t, x, y, z: (t, x))


def test_a_fluid_heavier_than_particles_wants_added_mass():
    light = dem.Particles(
        dem.Sphere(diameter=1e-3), dem.Material(young=1e5, poisson=0.2, density=100.0), position=[(0, 0, 0)]
    )
    with pytest.raises(ValueError, match="missing-added-mass: the fluid has 10 times the density of the lightest"):
        in_fluid(light, added_mass=False).run(0.01)
    with pytest.warns(dem.DemWarning, match="missing-added-mass: the fluid has 0.4 times"):
        in_fluid(added_mass=False).run(0.01)


def test_reynolds_numbers_beyond_a_law_are_in_the_verdict():
    """Once, with what was reached; as are places off the grid."""
    verdict = in_fluid(drag="stokes").run(0.05)
    (doubt,) = [each for each in verdict.doubts if "Reynolds" in each]
    v = in_fluid(drag="stokes")
    v.step(50)
    reached = -v.particles.velocity[0, 2] * 1e-3 * 1000 / 1e-3  # at the whole step; what was reached is a mean
    told = re.fullmatch("Reynolds number up to (.*), stokes is for less than 0.1: take another law", doubt)
    assert float(told[1]) == pytest.approx(reached, rel=0.02)
    assert verdict.status == "WARN"
    assert in_fluid().run(0.05).status == "PASS"
    spinning = in_fluid(bead(angular_velocity=[(0, 0, 100.0)]), rotation="stokes").run(0.01)
    assert any(
        each.startswith("rotational Reynolds number up to 100, stokes is for less than 32") for each in spinning.doubts
    )
    leaving = in_fluid(bead((0, 0, -0.44), velocity=[(0, 0, -1.0)]), velocity=grid(affine)).run(0.05)
    assert any("is not known, and felt its edge" in each for each in leaving.doubts)


def test_a_function_is_as_good_as_the_flow_it_stands_for():
    one, other = (
        in_fluid(velocity=flow, lift="saffman")
        for flow in (dem.ShearFlow(rate=5.0), lambda t, x, y, z: (5.0 * y, 0.0, 0.0))
    )
    for sim in (one, other):
        sim.step(50)
    assert other.particles.velocity == pytest.approx(one.particles.velocity, rel=1e-8, abs=1e-12)
    assert abs(one.particles.velocity[0, 0]) > 0.01


STICKY = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.8, friction=0.4)


def swarm(flow, skin=None):
    """Spheres and rods that meet in a box."""
    box = dem.Box((-0.006, -0.006, -0.006), (0.006, 0.006, 0.006), STICKY, periodic=["x"])
    balls = dem.pack(dem.Sphere(diameter=2e-3), STICKY, box, number=12)
    rods = dem.pack(ROD, STICKY, box, number=6, others=[balls])
    particles = dem.Particles.concatenate([balls, rods])
    particles.velocity = 0.3 * np.random.default_rng(3).normal(size=(18, 3))
    fluid = dem.Fluid(**WATER, velocity=flow, lift="mei", magnus="oesterle-bui-dinh", drag="hoelzer-sommerfeld")
    return dem.Simulation(particles, box, fluid=fluid, time_step=2e-5, _skin=skin)


def same(one, other):
    names = ("position", "velocity", "orientation", "angular_velocity")
    bytes_of = [[getattr(sim.particles, name).tobytes() for name in names] for sim in (one, other)]
    assert bytes_of[0] == bytes_of[1]
    assert (one.energy(), one.energy_error) == (other.energy(), other.energy_error)
    assert one.verdict() == other.verdict()


@pytest.mark.parametrize("name", ["grid", "function"])
@pytest.mark.slow
def test_the_same_bytes_whatever_the_lists_and_the_cuts(name, tmp_path):
    """Contacts, periodic walls, all forces; saved on the way, which takes grids and functions along."""
    whole = swarm(FLOWS[name])
    whole.step(300)
    assert whole.contact_count or whole.energy().dissipated > 0
    cut = swarm(FLOWS[name], skin=(3e-4, 1e-4))
    cut.step(111)
    cut.save(tmp_path / "cut.h5")
    cut = dem.Simulation.load(tmp_path / "cut.h5")
    cut.step(189)
    same(whole, cut)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:coarse-time-step:dem.DemWarning")
@pytest.mark.filterwarnings("ignore:discontinuous-flow:dem.DemWarning")
def test_a_run_in_a_fluid_is_told_repeated_and_gone_on_with(tmp_path):
    path = tmp_path / "run.h5"
    sim = swarm(FLOWS["grid"])
    sim.run(100 * 2e-5, output=path, frames=4, table=["fluid"], table_every=50, progress=False)
    with dem.Trajectory(path) as run:
        assert run.energy["fluid"][-1] == sim.energy().fluid != 0
        assert run[-1].energy["fluid"] == sim.energy().fluid
        assert run.table["fluid"][-1] == sim.energy().fluid
        assert run.input["fluid"]["velocity"].startswith("GriddedFlow(5 x 6 x 7 nodes at 3 times")
    assert dem.rerun(path).same
    dem.resume(path, duration=150 * 2e-5)
    longer = swarm(FLOWS["grid"])
    longer.step(150)
    same(dem.Simulation.load(path), longer)


def test_without_a_fluid_nothing_tells_of_one(tmp_path):
    sim = dem.Simulation(bead(), time_step=1e-3)
    sim.run(0.01, output=tmp_path / "dry.h5")
    with dem.Trajectory(tmp_path / "dry.h5") as run:
        assert "fluid" not in run.energy
        assert "fluid" not in run.input
    with h5py.File(tmp_path / "dry.h5") as file:
        assert "fluid" not in file["restart/latest"]
        assert file["restart/latest/start_energy"].shape == (6,)


def test_what_changes_in_a_run_in_a_fluid_is_booked():
    """Gravity that is set, and a velocity that is assigned in a visit: the total stays as it was."""
    sim = in_fluid(dt=1e-4)

    def shake(sim):
        sim.particles.velocity = [(0.1, 0, 0)]
        sim.gravity = (0, 3.0, -5.0)

    verdict = sim.run(0.05, every=(250, shake))
    energy = sim.energy()
    assert energy.work > 0 > energy.fluid
    assert abs(energy.total - sim.start_energy.total) < 1e-5 * abs(energy.fluid)
    assert verdict.energy_error < 1e-4
    assert verdict.momentum_error is None


CASE = """
duration = 0.01
time_step = 1e-4
materials.glass = {{ young = 1e5, poisson = 0.22, density = 2500.0 }}
shapes.bead = {{ type = "sphere", diameter = "1 mm" }}
[fluid]
density = "1 g/cm3"
viscosity = "1 mPa*s"
{more}
[[particles]]
shape = "bead"
material = "glass"
position = [[0.01, 0.01, 0.01]]
"""


def case_file(folder, more):
    path = folder / "case.toml"
    path.write_text(CASE.format(more=more))
    return path


def test_a_fluid_in_a_case_file(tmp_path):
    """As said in Python; flows by type, a grid by its file, what is absent by the word none."""
    write_grid(tmp_path / "flow.h5", velocity=np.ones((2, 3, 4, 3)))
    shear = 'flow = { type = "shear", rate = 5.0, gradient = "z", centre = ["1 cm", 0, 0] }'
    for more, fluid in (
        ("velocity = [0, 0, 0.1]", dem.Fluid(**WATER, velocity=(0, 0, 0.1))),
        (shear + '\nlift = "mei"\nrotation = "none"', dem.Fluid(
            **WATER, lift="mei", rotation=None, velocity=dem.ShearFlow(rate=5.0, gradient="z", centre=(0.01, 0, 0)))),
    ):  # fmt: skip
        assert dem.load(case_file(tmp_path, more)).fluid == fluid
    path = case_file(tmp_path, 'flow = { type = "grid", file = "flow.h5", periodic = ["x"] }\nadded_mass = false')
    fluid = dem.load(path, {"fluid.flow.periodic": "x,y,z", "fluid.drag": "stokes"}).fluid
    assert (fluid.velocity.periodic, fluid.added_mass, fluid.drag) == (("x", "y", "z"), False, "stokes")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            'flow = { type = "shear" }',
            "fluid.flow.*a shear flow takes rate, .*, velocity, got none: rate is missing",
        ),
        ('flow = { type = "pipe", peak = 1, radius = 1, rate = 2 }', "a pipe flow takes .*, got peak, radius, rate"),
        ('flow = { type = "grid" }', "a grid flow takes file, periodic, got none"),
        ('flow = { type = "grid", file = "none.h5" }', "fluid.flow.file.*no file"),
        ('velocity = [0, 0, 1]\nflow = { type = "uniform" }', "velocity and flow are both given"),
        ('drag = "newton"', "fluid.drag"),
    ],
)
def test_case_files_that_are_wrong_about_the_fluid(tmp_path, more, said):
    with pytest.raises(ValueError, match=said):
        dem.load(case_file(tmp_path, more))


@pytest.mark.parametrize(
    ("periodic", "flow", "jumps"),
    [
        ("y", dem.ShearFlow(rate=10.0), True),  # by rate times the edge
        ("xz", dem.ShearFlow(rate=10.0), False),
        ("z", dem.RotatingFlow(angular_velocity=(0, 0, 1)), False),
        ("x", dem.RotatingFlow(angular_velocity=(0, 0, 1)), True),
        ("xyz", dem.TaylorGreenFlow(speed=0.1, wavenumber=2 * math.pi / 0.02), False),
        ("x", dem.TaylorGreenFlow(speed=0.1, wavenumber=2 * math.pi / 0.03), True),
        ("xyz", dem.UniformFlow(velocity=(1, 2, 3)), False),
        ("x", dem.FunctionFlow(function=lambda t, x, y, z: (x, -y, 0.0)), True),
    ],
)
def test_flows_that_do_not_repeat_with_the_box_are_noticed(periodic, flow, jumps):
    box = dem.Box((0, 0, 0), (0.02, 0.04, 0.02), GLASS, periodic=list(periodic))
    found = [n for n in in_fluid(bead((0.01,) * 3), box, velocity=flow).foreseen() if n.name == "discontinuous-flow"]
    assert bool(found) == jumps
    if isinstance(flow, dem.ShearFlow) and jumps:
        assert "0.4 m/s between both sides of the box along y" in found[0].reason
