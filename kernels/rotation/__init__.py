"""Rotational integrators: a few pure functions each, on scalars, chosen by the type of the scheme.

A step is *predict* (needs no torque), the torque, *correct*. Between steps a scheme remembers a tuple
``memory = (q, w, a)``: a quaternion and two vectors of its own meaning, and more numbers if it wants them
(`adams_bashforth`). A scheme is `scheme_interface.Steps` of

    start(q, omega_body, torque, inertia, dt) -> memory
        from a whole-step state and the world torque on it
    predict(memory, inertia, dt) -> q_force, memory
        the orientation at which the next torque is wanted
    velocity(memory, q_force, inertia, dt) -> omega_body
        the angular velocity there, as far as it is known, for torques that depend on it
    correct(memory, q_force, torque, inertia, dt) -> memory
        the step completed with the world torque found there
    whole(memory, q_force, inertia, dt) -> q, omega_body
        the state at the end of the step, for output and energies
    half_step_velocity(memory, inertia) -> omega_body
        of some schemes: the angular velocity half a step before the torque, in the body frame, or for `SphericalPCDM`
        in the world frame. `correct` and the next `predict` add dt I^-1 torque to it (less the gyroscopic term, if the
        scheme is `gyroscopic`), which is the angular velocity half a step after the torque. So a torque can be chosen
        that leads to a given angular velocity there, such as that of an exact relaxation, however fast that is
        (`dem.kernels.soft.fluid.rotational_relaxation`).
    correct_by_rate(memory, q_force, rate, dt) -> memory
        of some of these schemes: `correct`, given the rate of change of that angular velocity in place of a torque

Schemes with several torques a step: `multistage`. `problems` and `study` integrate one body under known torques.
A scheme is named by a NamedTuple type; `select` picks its functions by that type at compile time, so only the scheme in
use is compiled, it is inlined, and the next process finds it in the cache (an integer ``kind`` would compile all
schemes, a function argument would never hit the cache). To add one: a file like ``euler.py``, a row here, a row in
``dem.rotation.integrators``.
"""

from operator import attrgetter

from dem.kernels.compiler.jit import select, type_is
from dem.kernels.rotation.adams_bashforth import ADAMS_BASHFORTH, AdamsBashforth
from dem.kernels.rotation.direct_multiplication import (
    DIRECT_MULTIPLICATION,
    SCALAR_FACTOR,
    DirectMultiplication,
    ScalarFactor,
)
from dem.kernels.rotation.euler import EULER, Euler
from dem.kernels.rotation.fincham import FINCHAM, Fincham
from dem.kernels.rotation.improved_pcdm import IMPROVED_PCDM, ImprovedPCDM
from dem.kernels.rotation.leapfrog import (
    LEAPFROG,
    LEAPFROG_PRODUCT,
    PREDICTOR_CORRECTOR,
    Leapfrog,
    LeapfrogProduct,
    PredictorCorrector,
)
from dem.kernels.rotation.omelyan import OMELYAN, Omelyan
from dem.kernels.rotation.pcdm import ORIGINAL_PCDM, PCDM
from dem.kernels.rotation.quaternion_verlet import QUATERNION_VERLET, QuaternionVerlet
from dem.kernels.rotation.richardson import RICHARDSON, Richardson
from dem.kernels.rotation.scheme_interface import Steps, correct_half_by_rate, velocity_before_torque
from dem.kernels.rotation.spherical_pcdm import (
    SPHERICAL_PCDM,
    SPHERICAL_SPIN,
    SphericalPCDM,
    SphericalSpin,
    UniformSphericalPCDM,
    UniformSphericalSpin,
)
from dem.kernels.rotation.spiral import SPIRAL, Spiral
from dem.kernels.rotation.splitting import AXIAL_SPLITTING, NO_SQUISH, SPLITTING, AxialSplitting, NoSquish, Splitting

SCHEMES = {
    Euler: EULER,
    Leapfrog: LEAPFROG,
    LeapfrogProduct: LEAPFROG_PRODUCT,
    ScalarFactor: SCALAR_FACTOR,
    DirectMultiplication: DIRECT_MULTIPLICATION,
    PredictorCorrector: PREDICTOR_CORRECTOR,
    AdamsBashforth: ADAMS_BASHFORTH,
    PCDM: ORIGINAL_PCDM,
    ImprovedPCDM: IMPROVED_PCDM,
    SphericalPCDM: SPHERICAL_PCDM,
    SphericalSpin: SPHERICAL_SPIN,
    UniformSphericalPCDM: SPHERICAL_PCDM,
    UniformSphericalSpin: SPHERICAL_SPIN,
    QuaternionVerlet: QUATERNION_VERLET,
    NoSquish: NO_SQUISH,
    Splitting: SPLITTING,
    AxialSplitting: AXIAL_SPLITTING,
    Spiral: SPIRAL,
    Fincham: FINCHAM,
    Omelyan: OMELYAN,
    Richardson: RICHARDSON,
}


start, predict, velocity, correct, whole, load_memory, store_memory = (
    select("scheme", SCHEMES, attrgetter(name), handed=False) for name in Steps._fields[:7]
)


has_half_step_velocity = type_is(lambda scheme: SCHEMES[scheme].half_step_velocity)
can_correct_by_rate = type_is(lambda scheme: SCHEMES[scheme].correct_by_rate)
# not called for schemes without it
correct_by_rate = select("scheme", SCHEMES, lambda row: row.correct_by_rate or correct_half_by_rate, handed=False)
is_gyroscopic = type_is(lambda scheme: SCHEMES[scheme].gyroscopic)
# not called for schemes without it
half_step_velocity = select(
    "scheme", SCHEMES, lambda row: row.half_step_velocity or velocity_before_torque, handed=False
)
