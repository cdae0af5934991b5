"""Particles in a fluid against closed forms: drag, relaxation, terminal velocities, orbits, the ledger.

Numbers with many digits were worked out by other means (mpmath), from the formulae that the docstrings name.
"""

import math

import numpy as np
import pytest
from dem.kernels import fluid as fluids

import dem
from dem.model.shapes.spheroid import ProjectedAreas, Spheroid, resistance
from dem.soft.fluid import fluid_setup

WATER = {"density": 1000.0, "viscosity": 1e-3}
AIR = {"density": 1.2, "viscosity": 1.8e-5}
ORDER_2 = pytest.approx(4.0, rel=0.06)  # of errors whose steps are halved; the third order is still there
NEVER = {"pressure": False, "added_mass": False}


def solid(density):
    return dem.Material(young=7e7, poisson=0.22, density=density)


def ball(diameter, density, fluid, dt, *, gravity=(0, 0, -9.81), position=(0.0, 0.0, 0.0), **state):
    """One sphere alone."""
    one = dem.Particles(dem.Sphere(diameter=diameter), solid(density), position=[position], **state)
    return dem.Simulation(one, fluid=fluid, time_step=dt, gravity=gravity)


def medium(fluid, diameter=1e-3):
    """What kernels know of a fluid and a sphere."""
    one = dem.Particles(dem.Sphere(diameter=diameter), solid(2500.0), position=[(0, 0, 0)])
    return fluid_setup.fluid_of(fluid, one, 1e-3)


def resistance_of(fluid, slip, diameter=1e-3):
    made = medium(fluid, diameter)
    reynolds = fluid.density * diameter * slip / fluid.viscosity
    return fluids.drag_on(made.drag, made.medium, 0, reynolds, (slip, 0.0, 0.0))[0]


def test_drag_of_a_sphere():
    """Force at 2 cm/s in water, Re = 20; beyond Re = 1000 C_D = 0.44; Hölzer and Sommerfeld's C_D = 27.42 at Re = 1."""
    force = {name: 0.02 * resistance_of(dem.Fluid(**WATER, drag=name), 0.02) for name in ("stokes", "schiller-naumann")}
    assert force["stokes"] == pytest.approx(1.884955592153876e-7, rel=1e-14)
    assert force["schiller-naumann"] == pytest.approx(4.099069648953342e-7, rel=1e-14)
    fast = 2.0 * resistance_of(dem.Fluid(**WATER), 2.0)
    assert fast == pytest.approx(0.5 * 1000 * 4 * math.pi / 4 * 1e-6 * 0.44, rel=1e-14)
    shape = 1e-3 * resistance_of(dem.Fluid(**WATER, drag="hoelzer-sommerfeld"), 1e-3)
    assert shape == pytest.approx(0.5 * 1000 * 1e-6 * math.pi / 4 * 1e-6 * 27.42, rel=1e-13)


def test_resistance_functions_of_spheroids():
    """Kim and Karrila (1991), table 3.4, prolate and oblate; from 1 on they go smoothly on."""
    assert resistance(2.0) == pytest.approx(
        [0.601970494894101, 0.689449528459882, 0.20166917482944, 0.376231559308813, 0.225738935585288], rel=1e-14
    )
    assert resistance(10.0) == pytest.approx(
        [0.264713600194152, 0.381152844511654, 0.00680470612051475, 0.133680368098047, 0.131033232096105], rel=1e-12
    )
    assert resistance(0.5) == pytest.approx(
        [0.905305261501028, 0.792707427649794, 0.705020161898566, 0.565815788438143, -0.339489473062886], rel=1e-14
    )
    for side in (0.5e-3, -0.5e-3):
        near, nearer = (np.array(resistance(1 + side * k)) for k in (2.2, 1.0))
        ball = np.array([1, 1, 1, 1, 0])
        assert nearer - ball == pytest.approx((near - ball) / 2.2, rel=3e-3)


def test_drag_by_sphericities_of_a_capsule():
    """Length over diameter 5, along and across; the mean of a sphere's projections is its disc."""
    volume = math.pi / 6 + math.pi
    along, across = ProjectedAreas.capsule(5.0, 1.0).coefficients(volume)
    found = [(a + b * math.sqrt(re) + c * re) / re for re in (1, 100) for a, b, c in (along, across)]
    assert found == pytest.approx([30.973374, 33.826008, 0.861681, 1.963399], rel=1e-6)
    assert ProjectedAreas.spheroid(Spheroid(math.pi / 6, 1.0, 0)) == pytest.approx(
        [math.pi, *[math.pi / 4] * 3], rel=1e-14
    )


TERMINAL = [
    (5e-5, 2500, AIR, "stokes", 0.18914527777777781),
    (5e-5, 2500, AIR, "schiller-naumann", 0.17160760083524684),
    (1e-3, 2500, WATER, "schiller-naumann", 0.1459455492159735),
    (5e-3, 1100, WATER, "schiller-naumann", 0.1096671966935355),
]


@pytest.mark.parametrize(("d", "density", "fluid", "drag", "speed"), TERMINAL)
@pytest.mark.parametrize("steps_of_tau", [0.5, 10.0, 1000.0])
@pytest.mark.few(2)
def test_terminal_velocity_with_any_time_step(d, density, fluid, drag, speed, steps_of_tau):
    """To rounding, with steps that are ten and a thousand times the relaxation time of Stokes flow."""
    tau = (density + fluid["density"] / 2) * d**2 / (18 * fluid["viscosity"])
    sim = ball(d, density, dem.Fluid(**fluid, drag=drag), steps_of_tau * tau)
    sim.step(200 if steps_of_tau < 1 else 40)
    assert sim.particles.velocity[0] == pytest.approx([0, 0, -speed], rel=1e-13, abs=1e-30)


@pytest.mark.parametrize(
    ("d", "density", "fluid", "acceleration"),
    [(1e-3, 2500, WATER, 4.905), (5e-5, 2500, AIR, 9.8029385), (5e-3, 1100, WATER, 0.613125)],
)
def test_first_acceleration_with_buoyancy_and_added_mass(d, density, fluid, acceleration):
    """(ρ_p - ρ)/(ρ_p + ρ/2) g; the first step is so short that drag takes 1e-6 of it."""
    dt = 1e-7
    sim = ball(d, density, dem.Fluid(**fluid), dt)
    sim.step()
    assert sim.particles.velocity[0, 2] == pytest.approx(-acceleration * dt, rel=1e-5)


def test_a_sphere_as_dense_as_the_fluid_goes_with_it():
    """Pressure gradient and added mass make it as heavy as the fluid that it displaces, and drives it like that."""
    flow = dem.UniformFlow(velocity=(0, 0.1, 0), amplitude=(0.2, 0, 0), frequency=5.0)
    fluid = dem.Fluid(**WATER, velocity=flow)
    sim = ball(1e-3, 1000.0, fluid, 1e-4, gravity=(0, 0, 0), velocity=[(0, 0.1, 0)])
    sim.step(300)
    exact = 0.2 * math.sin(10 * math.pi * 0.03)
    assert sim.particles.velocity[0] == pytest.approx([exact, 0.1, 0], abs=1e-6)  # (2π f h)²/24 of the amplitude


def test_fall_from_rest_in_stokes_flow_is_exact():
    """v = v_t (1 - exp(-t/τ)), with whatever steps."""
    tau = 2500 * 25e-10 / (18 * 1.8e-5)
    for dt, steps in ((0.005, 7), (0.035, 1)):
        sim = ball(5e-5, 2500, dem.Fluid(**AIR, drag="stokes", added_mass=False), dt)
        sim.step(steps)
        exact = -0.18914527777777781 * -math.expm1(-0.035 / tau)
        assert sim.particles.velocity[0, 2] == pytest.approx(exact, rel=1e-14)


def test_fall_from_rest_with_nonlinear_drag_is_of_second_order():
    """Richardson's differences of velocity and place; the ledger's error goes likewise."""
    found = []
    for n in (80, 160, 320):
        sim = ball(1e-3, 2500, dem.Fluid(**WATER), 0.2 / n)
        sim.step(n)
        found.append((sim.particles.velocity[0, 2], sim.particles.position[0, 2], sim.energy_error))
    (v, x, e), (v2, x2, e2), (v4, x4, e4) = found
    assert (v - v2) / (v2 - v4) == ORDER_2
    assert (x - x2) / (x2 - x4) == ORDER_2
    assert (e / e2, e2 / e4) == (ORDER_2, ORDER_2)
    assert e4 < 3e-5


def test_spin_up_by_a_turning_fluid():
    """ω = Ω (1 - exp(-t/τ_r)), τ_r = ρ_p d²/60μ = 0.0416667 s of glass in water; second order, stable with any step."""
    flow = dem.RotatingFlow(angular_velocity=(0, 0, 2))
    errors = []
    for n in (10, 20, 40):
        sim = ball(1e-3, 2500, dem.Fluid(**WATER, velocity=flow), 0.05 / n, gravity=(0, 0, 0))
        sim.step(n)
        errors.append(sim.particles.angular_velocity[0, 2] / (2 * -math.expm1(-0.05 / 0.04166666666666667)) - 1)
    assert (errors[0] / errors[1], errors[1] / errors[2]) == (ORDER_2, ORDER_2)
    sim = ball(1e-3, 2500, dem.Fluid(**WATER, velocity=flow), 0.5, gravity=(0, 0, 0))
    sim.step(12)
    assert sim.particles.angular_velocity[0] == pytest.approx([0, 0, 2], rel=1e-13)


@pytest.mark.parametrize("scheme", [name for name, row in dem.INTEGRATORS.items() if row.torques == 1])
@pytest.mark.few(2)
def test_spheres_spin_down_by_any_scheme(scheme):
    """ω e^(-t/τ) with τ = I/(π μ d³) = ρ d²/(60 μ), and arrays have the rows that kernels of the scheme write."""
    d, tau = 1e-3, 2500.0 * 1e-6 / (60 * 0.1)
    oil = dem.Fluid(density=1000.0, viscosity=0.1, rotation="stokes")
    spinning = dem.Particles(dem.Sphere(diameter=d), solid(2500.0), position=[(0, 0, 0)], angular_velocity=[(3, 4, 12)])
    sim = dem.Simulation(spinning, fluid=oil, time_step=tau / 200, integrator=scheme)
    sim.step(200)
    np.testing.assert_allclose(sim.particles.angular_velocity[0], np.exp(-1.0) * np.array([3.0, 4.0, 12.0]), rtol=5e-3)


def test_resistance_to_fast_rotation():
    """T = ρ/2 (d/2)⁵ C_R Ω² with C_R = 12.9/√Re_R + 128.4/Re_R beyond Re_R = 32, where both are 6.28 and 6.29."""
    d, omega = 1e-3, 500.0
    sim = ball(d, 2500, dem.Fluid(**WATER), 1e-8, gravity=(0, 0, 0), angular_velocity=[(0, 0, omega)])
    sim.step()
    turning = 1000 * d**2 * omega / 1e-3
    torque = 0.5 * 1000 * (d / 2) ** 5 * (12.9 / math.sqrt(turning) + 128.4 / turning) * omega**2
    rate = (sim.particles.angular_velocity[0, 2] - omega) / 1e-8
    assert rate == pytest.approx(-torque / (0.1 * 2500 * math.pi / 6 * d**5), rel=1e-5)
    slow, fast = (fluids.spin_factor(medium(dem.Fluid(**WATER)).spin, x) for x in (31.999, 32.001))
    assert slow == 1.0
    assert fast == pytest.approx(6.293 / 6.283, rel=1e-3)


def spiral(tau, n):
    """Error of a heavy sphere that is thrown out of a vortex for a second: z = exp(st), s = (√(1 + 4iΩτ) - 1)/2τ."""
    d, density, turning = 1e-3, 2500.0, 5.0
    fluid = dem.Fluid(
        density=1.0, viscosity=density * d**2 / (18 * tau), drag="stokes", rotation=None, **NEVER,
        velocity=dem.RotatingFlow(angular_velocity=(0, 0, turning)),
    )  # fmt: skip
    s = (np.sqrt(1 + 4j * turning * tau) - 1) / (2 * tau)
    start = 0.01 * s
    sim = ball(d, density, fluid, 1 / n, gravity=(0, 0, 0), position=(0.01, 0, 0),
               velocity=[(start.real, start.imag, 0)])  # fmt: skip
    sim.step(n)
    return abs(complex(*sim.particles.position[0, :2]) / (0.01 * np.exp(s)) - 1), sim


@pytest.mark.parametrize("tau", [0.1, 1e-5])
@pytest.mark.few(1)
def test_a_sphere_in_solid_rotation(tau):
    """Second order for heavy spheres, and for those that follow the fluid, with steps a thousand times as long as τ.

    The work of the fluid is all that changes the kinetic energy, to the rounding of 1e-12 units.
    """
    errors = [spiral(tau, n)[0] for n in (100, 200, 400)]
    assert (errors[0] / errors[1], errors[1] / errors[2]) == (ORDER_2, ORDER_2)
    assert errors[2] < 4e-4
    _, sim = spiral(tau, 100)
    assert sim.energy_error < 1e-11
    assert sim.energy().fluid == pytest.approx(sim.energy().kinetic - sim.start_energy.kinetic, rel=1e-9)


def fibre_with(longest, density=1000.0, ratio=5.0):
    """A fibre whose spheroid has this semi-axis, and that spheroid."""
    whole = dem.Fibre(diameter=1.0, aspect_ratio=ratio)
    scale = longest / Spheroid.of(whole, whole.mass_properties(density)).longest
    fibre = whole.scaled(scale)
    properties = fibre.mass_properties(density)
    return fibre, properties, Spheroid.of(fibre, properties)


TO_Y = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # turns the axis from x to y
SHEAR = dem.ShearFlow(rate=10.0)


def in_shear(stokes_number, dt, *, integrator="improved-pcdm", orientation=TO_Y, spin=0.0):
    """A fibre of aspect ratio 5 in shear at γ̇τ_⊥, τ_⊥ = I_⊥/(8πμa³ Y^C)."""
    fibre, properties, body = fibre_with(1e-4)
    viscosity = properties.inertia[1] * 10.0 / (stokes_number * body.rotation[1])
    fluid = dem.Fluid(
        density=1.0, viscosity=viscosity, drag="stokes", rotation="stokes", velocity=SHEAR, **NEVER
    )  # fmt: skip
    one = dem.Particles(
        fibre, solid(1000.0), position=[(0, 0, 0)], orientation=[orientation], angular_velocity=[(0, 0, spin)]
    )
    return dem.Simulation(one, fluid=fluid, time_step=dt, gravity=(0, 0, 0), integrator=integrator)


def period(stokes_number, n, expected, integrator, half_turns=2):
    """γ̇T of the last of some half turns, timed by cubic interpolation of the angle from y towards x."""
    dt = expected / 10 / n
    sim = in_shear(stokes_number, dt, integrator=integrator)
    angle, times = [0.0], []
    while len(times) < half_turns:
        sim.step()
        w, _, _, z = sim.particles.orientation[0]
        phi = math.atan2(w * w - z * z, 2 * w * z)
        angle.append(angle[-1] + (phi - angle[-1] + math.pi) % (2 * math.pi) - math.pi)
        goal = math.pi * (len(times) + 1)
        if len(angle) > 3 and angle[-2] >= goal:
            past = np.array(angle[-4:]) - goal
            at = (len(angle) - 4 + np.arange(4)) * dt
            shares = [np.prod([past[j] / (past[j] - past[i]) for j in range(4) if j != i]) for i in range(4)]
            times.append(float(at @ shares))
    return 20 * (times[-1] - times[-2])


PERIODS = {1e-4: 2 * math.pi * (5 + 1 / 5), 0.01: 32.671790125, 0.1: 32.593632482, 1.0: 18.823272271}


@pytest.mark.parametrize(
    ("stokes_number", "integrator", "n", "half_turns"),
    [
        (1e-4, "splitting", 200, 2),
        pytest.param(0.01, "splitting", 1600, 2, marks=pytest.mark.slow),
        (0.1, "improved-pcdm", 200, 2),
        pytest.param(0.1, "leapfrog", 200, 2, marks=pytest.mark.slow),
        (1.0, "splitting", 200, 4),
        pytest.param(1.0, "adams-bashforth", 300, 4, marks=pytest.mark.slow),
    ],
)
@pytest.mark.few(1)
def test_jeffery_orbits_with_inertia(stokes_number, integrator, n, half_turns):
    """Periods of φ̈ = (φ̇_J(φ) - φ̇)/τ_⊥, with steps from a tenth to a thousand of τ_⊥: of second order.

    Extrapolated from two steps they are right to 1e-5.
    """
    exact = PERIODS[stokes_number]
    coarse, fine = (period(stokes_number, m, exact, integrator, half_turns) for m in (n, 2 * n))
    assert (coarse - exact) / (fine - exact) == pytest.approx(4.0, rel=0.2)
    assert fine + (fine - coarse) / 3 == pytest.approx(exact, rel=1e-5)


def test_rates_of_a_jeffery_orbit():
    """γ̇ r²/(r² + 1) across the flow, γ̇/(r² + 1) along it, γ̇/2 about the vorticity; and at T/8 the angle is 1.3734."""
    along = (1.0, 0.0, 0.0, 0.0)
    log_rolling = (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)  # axis along z
    for q, rate in ((TO_Y, 10 * 25 / 26), (along, 10 / 26), (log_rolling, 5.0)):
        sim = in_shear(1e-7, 1e-4, orientation=q)
        sim.step(2)
        assert sim.particles.angular_velocity[0] == pytest.approx([0, 0, -rate], rel=2e-3, abs=1e-9)
    errors = []
    for n in (100, 200, 400):
        sim = in_shear(1e-7, 3.267256359733385 / 8 / n, spin=-10 * 25 / 26)
        sim.step(n)
        w, _, _, z = sim.particles.orientation[0]
        errors.append(math.atan2(w * w - z * z, 2 * w * z) - 1.373400766945016)
    assert (errors[0] / errors[1], errors[1] / errors[2]) == (ORDER_2, ORDER_2)
    assert abs(errors[2]) < 2e-5


@pytest.mark.parametrize("steps_of_tau", [0.2, 10.0])
@pytest.mark.parametrize(
    ("q", "fall", "drift"),
    [
        ((math.sqrt(0.5), 0, -math.sqrt(0.5), 0), 3.6642581974342e-3, 0.0),  # axis along gravity
        ((1, 0, 0, 0), 2.7583687273409e-3, 0.0),
        ((math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0), 3.2113134624876e-3, 4.5294473504666e-4),
    ],
)
@pytest.mark.few(2)
def test_a_settling_fibre_drifts(q, fall, drift, steps_of_tau):
    """Spheroid of a = 0.1 mm, r = 5, 2500 kg/m³ in water: along, across, at 45°; no torque at any of them."""
    fibre, properties, body = fibre_with(1e-4, 2500.0)
    fluid = dem.Fluid(**WATER, drag="stokes", rotation="stokes")
    tau = (properties.mass + 500 * body.volume) / (1e-3 * max(body.translation))
    one = dem.Particles(fibre, solid(2500.0), position=[(0, 0, 0)], orientation=[q])
    sim = dem.Simulation(one, fluid=fluid, time_step=steps_of_tau * tau)
    sim.step(300 if steps_of_tau < 1 else 30)
    v = sim.particles.velocity[0]
    assert v[2] == pytest.approx(-fall, rel=1e-12)
    assert math.hypot(v[0], v[1]) == pytest.approx(drift, rel=1e-11, abs=1e-17)
    assert sim.particles.orientation[0] == pytest.approx(q, abs=1e-13)


def test_which_spheroid_stands_for_a_body():
    """Fibres by length over diameter; clumps by their moments, whose spheroid itself comes back."""
    fibre = dem.Fibre(diameter=1e-3, aspect_ratio=4)
    body = Spheroid.of(fibre, fibre.mass_properties(1.0))
    assert (body.ratio, body.axis) == (4.0, 0)
    assert math.pi / 6 * body.diameter**3 == pytest.approx(fibre.mass_properties(1.0).volume, rel=1e-14)
    for moments, ratio, axis in (((2.0, 5.0, 5.0), 2.0, 0), ((1.25, 1.25, 2.0), 0.5, 2)):
        clump = dem.Clump(offsets=[(0, 0, 0), (1, 0, 0)], radii=[1, 1])
        properties = dem.MassProperties(1.0, 1.0, (0, 0, 0), moments, (1, 0, 0, 0))
        found = Spheroid.of(clump, properties)
        assert (found.ratio, found.axis) == (pytest.approx(ratio, rel=1e-14), axis)


def test_lift_in_shear():
    """Saffman's force on a sphere that lags, towards faster fluid; Mei's factor, below and above Re = 40."""
    d, slip, rate = 1e-3, 0.02, 8.0
    of = {name: medium(dem.Fluid(**WATER, lift=name)) for name in ("saffman", "mei")}

    def lift(name, u):
        m = of[name]
        return fluids.lift_on(m.lift, m.medium, 0, 1000 * d * u / 1e-3, (u, 0.0, 0.0), (0.0, 0.0, -rate))

    plain = 1.615 * d**2 * math.sqrt(1000 * 1e-3 / rate) * slip * rate
    assert lift("saffman", slip) == pytest.approx((0, plain, 0), rel=1e-14)
    for u, share in ((slip, None), (0.06, 0.0524 * math.sqrt(d * rate / (2 * 0.06) * 60))):
        root = math.sqrt(d * rate / (2 * u))
        near = (1 - 0.3314 * root) * math.exp(-1000 * d * u / 1e-3 / 10) + 0.3314 * root
        assert lift("mei", u)[1] / lift("saffman", u)[1] == pytest.approx(share or near, rel=1e-13)
    assert lift("mei", 0.0) == (0.0, 0.0, 0.0)


def test_lift_of_a_spinning_sphere():
    """π/8 d³ρ (ω - Ω) × (v - u); the measured one tends to it for slow spheres, and is less for fast ones."""
    d = 1e-3
    for name, slip, spin, share in (
        ("rubinow-keller", 0.02, 30.0, 1.0),
        ("oesterle-bui-dinh", 1e-9, 1e-6, 1.0),
        ("oesterle-bui-dinh", 0.02, 30.0, (0.45 + 1.05 * math.exp(-0.05684 * 30**0.4 * 20**0.3)) / 1.5),
    ):
        m = medium(dem.Fluid(**WATER, magnus=name))
        reynolds, turning = 1000 * d * slip / 1e-3, 1000 * d**2 * spin / 1e-3
        lift = fluids.magnus_lift_on(m.magnus, m.medium, 0, reynolds, turning, (slip, 0, 0), (0, 0, spin))
        plain = math.pi / 8 * d**3 * 1000 * spin * slip
        assert lift == pytest.approx((0, -share * plain, 0), rel=2e-3 if slip < 1e-6 else 1e-13)


@pytest.mark.slow
def test_a_bounce_in_water_keeps_the_ledger():
    """A sphere falls on a floor in water and comes to rest there: what is lost is booked, in second order."""
    errors = []
    material = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.9)
    one = dem.Particles(dem.Sphere(diameter=2e-3), material, position=[(0.01, 0.01, 0.002)], velocity=[(0, 0, -0.2)])
    for dt in (2e-5, 1e-5):
        box = dem.Box((0, 0, 0), (0.02, 0.02, 0.02), material)
        sim = dem.Simulation(one, box, fluid=dem.Fluid(**WATER, rotation=None), time_step=dt)
        sim.step(round(0.02 / dt))
        errors.append(sim.energy_error)
        energy = sim.energy()
        assert energy.fluid < 0 < energy.dissipated
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.4)
    assert errors[1] < 1e-3
