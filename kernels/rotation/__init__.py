"""Rotational integrators: four pure functions each, on scalars, chosen by the type of the scheme.

A step is *predict* (needs no torque), the torque, *correct*. Between steps a scheme remembers a triple
``memory = (q, w, a)``: a quaternion and two vectors of its own meaning. Its file defines

    start(scheme, q, omega_body, torque, inertia, dt) -> memory
        from a whole-step state and the world torque on it
    predict(scheme, memory, inertia, dt) -> q_force, memory
        the orientation at which the next torque is wanted
    correct(scheme, memory, q_force, torque, inertia, dt) -> memory
        the step completed with the world torque found there
    whole(scheme, memory, q_force, inertia, dt) -> q, omega_body
        the state at the end of the step, for output and energies

A scheme is a NamedTuple type; ``overload`` picks its functions by that type at compile time, so only the scheme
in use is compiled, it is inlined, and the next process finds it in the cache (an integer ``kind`` would compile
all schemes, a function argument would never hit the cache). To add one: a file like ``pcdm.py``, a row here,
a row in ``dem.integrators``.
"""

from numba.extending import overload

from kernels.jit import CHOICE
from kernels.rotation import improved_pcdm, pcdm
from kernels.rotation.improved_pcdm import ImprovedPCDM
from kernels.rotation.pcdm import PCDM

SCHEMES = {ImprovedPCDM: improved_pcdm, PCDM: pcdm}


def start(scheme, q, omega_body, torque, inertia, dt):
    """Memory of the scheme for a body with this whole-step state and world torque."""
    return SCHEMES[type(scheme)].start(scheme, q, omega_body, torque, inertia, dt)


def predict(scheme, memory, inertia, dt):
    """Orientation at the time of the next torque, and the memory until then."""
    return SCHEMES[type(scheme)].predict(scheme, memory, inertia, dt)


def correct(scheme, memory, q_force, torque, inertia, dt):
    """Memory after the step, from the world torque at q_force."""
    return SCHEMES[type(scheme)].correct(scheme, memory, q_force, torque, inertia, dt)


def whole(scheme, memory, q_force, inertia, dt):
    """Orientation and body-frame angular velocity at the end of the step."""
    return SCHEMES[type(scheme)].whole(scheme, memory, q_force, inertia, dt)


@overload(start, jit_options=CHOICE)
def _start(scheme, q, omega_body, torque, inertia, dt):
    chosen = SCHEMES[scheme.instance_class].start
    return lambda scheme, q, omega_body, torque, inertia, dt: chosen(scheme, q, omega_body, torque, inertia, dt)


@overload(predict, jit_options=CHOICE)
def _predict(scheme, memory, inertia, dt):
    chosen = SCHEMES[scheme.instance_class].predict
    return lambda scheme, memory, inertia, dt: chosen(scheme, memory, inertia, dt)


@overload(correct, jit_options=CHOICE)
def _correct(scheme, memory, q_force, torque, inertia, dt):
    chosen = SCHEMES[scheme.instance_class].correct
    return lambda scheme, memory, q_force, torque, inertia, dt: chosen(scheme, memory, q_force, torque, inertia, dt)


@overload(whole, jit_options=CHOICE)
def _whole(scheme, memory, q_force, inertia, dt):
    chosen = SCHEMES[scheme.instance_class].whole
    return lambda scheme, memory, q_force, inertia, dt: chosen(scheme, memory, q_force, inertia, dt)
