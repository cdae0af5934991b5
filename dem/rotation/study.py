"""Integrate the rotation of one body under any torque law with any scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks, portable
from dem.base.compilation import announced
from dem.base.quaternions import UNIT_NORM
from dem.base.user_classes import hinted
from dem.kernels.compiler.jit import CompileError
from dem.kernels.numerics.quaternion import MAX_ROTATION_ANGLE, rotate_back
from dem.kernels.rotation import study as kernels
from dem.kernels.rotation.problems import CYLINDER, FREE, HEAVY_TOP, KINDS, SPHERE, Problem
from dem.rotation import integrators

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    "CYLINDER",
    "HEAVY_TOP",
    "SPHERE",
    "Problem",
    "RotationHistory",
    "angle_between",
    "integrate_rotation",
    "rub_cylinders",
]


# torque laws of published tests, by name
LAWS = {"none": FREE, "sphere": SPHERE, "cylinder": CYLINDER, "heavy-top": HEAVY_TOP}
MAX_ROWS = 10**9
MAX_GROWTH = 2.0  # of what friction can only slow down, but for the momentum that one cylinder gives the other


class RotationHistory(NamedTuple):
    """Rotation of one body at K times.

    Attributes
    ----------
    time : (K,) array
        [s].
    orientation : (K, 4) array
        Unit quaternions, scalar first, body to world.
    angular_velocity : (K, 3) array
        In the frame asked for [rad/s].

    Examples
    --------
    >>> import dem
    >>> turned = dem.integrate_rotation(
    ...     "pcdm", inertia=(1, 1, 1), angular_velocity=(0, 0, 0.5), time_step=0.1, steps=10, every=5
    ... )
    >>> turned.time.tolist(), turned.orientation.shape, turned.angular_velocity[-1].round(12).tolist()
    ([0.0, 0.5, 1.0], (3, 4), [0.0, 0.0, 0.5])
    """

    time: np.ndarray
    orientation: np.ndarray
    angular_velocity: np.ndarray


@hinted
def integrate_rotation(
    integrator: str,
    *,
    inertia: object,
    orientation: object = (1.0, 0.0, 0.0, 0.0),
    angular_velocity: object = (0.0, 0.0, 0.0),
    torque: Callable | Problem | str | None = None,
    time_step: float,
    steps: int,
    frame: str = "world",
    every: int = 1,
) -> RotationHistory:
    """Integrate the rotation of one rigid body.

    Parameters
    ----------
    integrator : str
        A name from `dem.INTEGRATORS`; all of them work here.
    inertia : (3,) floats
        Principal moments [kg m²].
    orientation : (4,) floats
        Unit quaternion at the start, scalar first, body to world.
    angular_velocity : (3,) floats
        Angular velocity at the start, in `frame` [rad/s].
    torque : callable or str, optional
        ``torque(t, q, omega)`` with the time [s], the orientation (4,) and the angular velocity (3,) as tuples; returns
        three floats [N m]. ω and torque are in `frame`. Decorated with ``numba.njit`` it runs compiled; a
        plain function works as well, far more slowly. Or the law of a published test by name: "sphere", "cylinder",
        "heavy-top", see `dem.kernels.rotation.problems`. None: no torque.
    time_step : float
        [s].
    steps : int
        Number of steps.
    frame : {"world", "body"}
        Frame of the angular velocities and of the torque.
    every : int
        Keep every so many steps, beginning with the start.

    Returns
    -------
    RotationHistory
        ``time`` (K,), ``orientation`` (K, 4), ``angular_velocity`` (K, 3); K = steps // every + 1.

    Raises
    ------
    ValueError, TypeError
        For bad arguments, and a torque that does not return three finite numbers at the start.
    FloatingPointError
        If torque or motion cease to be finite, or the body turns by more than 2 rad in one step.

    Examples
    --------
    >>> import dem
    >>> top = dem.integrate_rotation(
    ...     "splitting", inertia=(1100, 1100, 2600), angular_velocity=(1.2, 0.45, -0.6), time_step=0.01, steps=100
    ... )
    >>> top.orientation.shape
    (101, 4)
    """
    row = integrators.integrator(integrator)
    moments = checks.vector("inertia", inertia, "principal moments [kg m²]")
    if min(moments) <= 0:
        message = f"inertia is {moments} kg m², expected three moments above 0"
        raise ValueError(message)
    q = _unit_quaternion(orientation)
    body_frame = checks.one_of("frame", frame, ("world", "body")) == "body"
    omega = checks.vector("angular_velocity", angular_velocity, "[rad/s]")
    omega_body = omega if body_frame else rotate_back(q, omega)
    dt = checks.number("time_step", time_step, above=0, unit="s")
    steps, every = checks.whole("steps", steps, least=1), checks.whole("every", every, least=1)
    law = _law(torque, q, omega)
    rows = steps // every + 1
    if rows > MAX_ROWS:
        message = f"{steps} steps make {rows} rows, at most {MAX_ROWS}: keep fewer with a larger `every` (now {every})"
        raise ValueError(message)
    q_out, omega_out = np.empty((4, rows)), np.empty((3, rows))
    scheme = row.scheme_for(np.array(moments)[:, None])
    # no body has a moment above the sum of the other two; of one that does, schemes turn by more than omega dt at once
    most_turn = MAX_ROTATION_ANGLE / max(1.0, max(moments) / (sum(moments) - max(moments)))
    try:
        with announced():
            code, n = _loop(law)[row.torques > 1](
                scheme, law, body_frame, q, omega_body, moments, dt, most_turn, steps, every, q_out, omega_out
            )
    except CompileError as error:
        message = f"torque cannot be compiled with the loop: {str(error).strip().splitlines()[-1]}"
        raise TypeError(message) from error
    if code == kernels.NOT_FINITE:
        message = f"step {n} (t = {n * dt:.6g} s): torque or angular velocity is not finite with {integrator}"
        raise FloatingPointError(message)
    if code == kernels.TURNS_TOO_FAST:
        message = (
            f"step {n} (t = {n * dt:.6g} s): the body turns by more than {most_turn:.3g} rad in one step, "
            f"which {integrator} cannot follow; lower time_step (now {dt:g} s)"
        )
        raise FloatingPointError(message)
    return RotationHistory(np.arange(rows) * (every * dt), q_out.T, omega_out.T)


def rub_cylinders(
    integrator: str,
    *,
    radii: tuple[float, float],
    friction: float,
    inertia: tuple[float, float],
    angular_velocity: tuple[float, float],
    time_step: float,
    steps: int,
) -> np.ndarray:
    """Integrate the rotation of two cylinders on parallel axes that rub with a force -friction v.

    Parameters
    ----------
    integrator : str
        A scheme with one torque a step, see `dem.INTEGRATORS`.
    radii : two floats
        Radii of the cylinders [m], above 0.
    friction : float
        Force over relative velocity [kg/s], not negative.
    inertia : two floats
        Moments of inertia about the axes [kg m²], above 0.
    angular_velocity : two floats
        Angular velocities at the start [rad/s].
    time_step : float
        [s].
    steps : int
        Number of steps.

    Returns
    -------
    (steps + 1, 2) array
        Angular velocities [rad/s].

    Raises
    ------
    ValueError, TypeError
        For values out of range, or a scheme that needs several torques a step.
    FloatingPointError
        If the cylinders speed up, which a smaller time step prevents.

    Examples
    --------
    >>> omega = rub_cylinders(
    ...     "pcdm", radii=(1, 2), friction=1.0, inertia=(1, 1), angular_velocity=(5, 1), time_step=1e-3, steps=5000
    ... )
    >>> bool(abs(omega[-1] @ (1, 2)) < 1e-9)  # they roll on each other
    True
    """
    row = integrators.integrator_for_contacts(integrator)
    time_step, steps = checks.number("time_step", time_step, above=0, unit="s"), checks.whole("steps", steps, least=1)
    radii = tuple(checks.array("radii", radii, (2,), "radii of both cylinders [m]").tolist())
    moments = checks.array("inertia", inertia, (2,), "moments of both cylinders [kg m²]").tolist()
    spins = checks.array("angular_velocity", angular_velocity, (2,), "angular velocities of both [rad/s]").tolist()
    friction = checks.number("friction", friction, least=0, unit="kg/s")
    for name, values in (("radii", radii), ("inertia", moments)):
        for k, value in enumerate(values):
            checks.number(f"{name}[{k}]", value, above=0)
    result = np.empty((2, steps + 1))
    first, second = ((i,) * 3 for i in moments)
    kernels.integrate_pair(
        row.scheme_for(np.ones((3, 1))), radii, friction, first, second, *spins, time_step, steps, result
    )
    if not np.isfinite(result).all() or np.abs(result[:, -1]).max() > np.abs(result[:, 0]).max() * MAX_GROWTH:
        message = f"the cylinders speed up with {integrator}: lower time_step (now {time_step:g} s)"
        raise FloatingPointError(message)
    return result.T


def angle_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rotation angles of p^-1 q (K,) [rad] for unit quaternions (K, 4), accurate for small ones too."""
    same = np.where((p * q).sum(-1, keepdims=True) < 0, -1.0, 1.0)
    return 4 * np.arcsin(np.minimum(1.0, 0.5 * np.linalg.norm(p - same * q, axis=-1)))


def _unit_quaternion(value: object) -> tuple[float, float, float, float]:
    q = checks.array("orientation", value, (4,), "unit quaternion, scalar first")
    norm = portable.length(q)
    if abs(norm - 1) > UNIT_NORM:
        message = f"orientation has norm {norm:.6g}, expected 1: divide it by its norm"
        raise ValueError(message)
    w, x, y, z = (q / norm).tolist()
    return w, x, y, z


def _loop(law: Callable | Problem) -> tuple[Callable, Callable]:
    """Loops of a torque law, for schemes with one torque per step and with several."""
    if isinstance(law, Problem):
        return kernels.FOR_PROBLEMS
    return kernels.FOR_COMPILED if hasattr(law, "py_func") else kernels.FOR_PLAIN


def _law(torque: Callable | Problem | str | None, q: tuple, omega: tuple) -> Callable | Problem:
    """The torque law, checked by a first call."""
    if isinstance(torque, str):
        return Problem(LAWS[checks.one_of("torque law", torque, LAWS)])
    if isinstance(torque, Problem) and torque.kind not in KINDS:
        message = f"torque is {torque}, whose kind is none of dem.rotation.study's"
        raise ValueError(message)
    if torque is None or isinstance(torque, Problem):
        return torque or Problem(FREE)
    if not callable(torque):
        message = f"torque is {torque!r}, expected a function of (t, q, omega)"
        raise TypeError(message)

    def checked(t: float, q: tuple, omega: tuple) -> list[float]:
        value = np.asarray(torque(t, q, omega))
        if value.shape != (3,) or value.dtype.kind not in "iuf":
            message = (
                f"torque(t, q, omega) returned {value.dtype} of shape {value.shape} at t = {t:g} s, expected three "
                "numbers [N m]"
            )
            raise ValueError(message)
        return value.tolist()

    value = checked(0.0, q, omega)
    if not np.isfinite(value).all():
        message = f"torque(t, q, omega) returned {value} at the start, expected finite numbers"
        raise ValueError(message)
    return torque if hasattr(torque, "py_func") else checked
