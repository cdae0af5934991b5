"""Base classes of cases whose result is a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import BaseModel, Field, PositiveFloat, PositiveInt

from dem.base import checks
from dem.base.replace import replace_when_done
from dem.case.bases import PARAMETERS, check_parameters
from dem.model.particles.fields import STATE
from dem.ranks.job_server import refuse
from dem.rotation import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dem.rotation.study import RotationHistory


class StudyCase(BaseModel):
    """A case without a run: its result is a table, which subclasses compute in `table`.

    Parameters
    ----------
    duration : float
        Simulated time [s].
    frames : int
        Least number of rows after the first one; the last row is the end.
    time_step : float
        Time step [s].
    integrator : str
        Rotational scheme, a name from `dem.INTEGRATORS`.

    Examples
    --------
    >>> import dem, pathlib, tempfile
    >>> class Powers(dem.StudyCase):
    ...     name = "powers"
    ...
    ...     def table(self):
    ...         n = np.arange(self.frames + 1)
    ...         return np.column_stack([n, n**2]), "n,square", f"up to {n[-1]}"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "powers.csv"
    ...     Powers(frames=2).write(path), path.read_text().split()
    ('up to 2', ['n,square', '0,0', '1,1', '2,4'])
    """

    model_config = PARAMETERS
    if not TYPE_CHECKING:  # as of BaseCase
        __init__ = check_parameters

    name: ClassVar[str]
    compiled_by: ClassVar[dict] = {}  # parameters of a short run that needs the same kernels, for `dem compile --all`

    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    frames: PositiveInt = Field(200, description="least number of rows after the first; the last row is the end")
    time_step: PositiveFloat = Field(1e-6, description="time step [s]")
    integrator: str = Field(DEFAULT, description="rotational scheme")

    def steps_a_frame(self, steps: int) -> int:
        """Largest divisor of the number of steps that gives the wanted number of frames or more."""
        return next(every for every in range(max(1, steps // self.frames), 0, -1) if steps % every == 0)

    def table(self) -> tuple[np.ndarray, str, str]:
        """Columns, their names separated by commas, and a summary in words."""
        raise NotImplementedError

    def write(self, path: Path, *, overwrite: bool = False) -> str:
        """Compute and write a table of comma-separated values; returns a summary in words.

        Raises
        ------
        FileExistsError, OSError, ValueError
            If the file exists, cannot be written or is named as if it held something else; nothing has been computed
            then.
        """
        refuse("a table of one body's steps")
        path = checks.output(path, overwrite=overwrite)
        checks.ending(path, checks.TABLES, "a table is written")
        columns, header, said = self.table()
        with replace_when_done(path) as partial:
            np.savetxt(partial, columns, delimiter=",", header=header, comments="", fmt="%.17g")
        return said


class RotationCase(StudyCase):
    """One rigid body that rotates under a torque law, without contacts. Subclasses define body and law.

    Parameters
    ----------
    duration : float
        Simulated time [s].
    frames : int
        Least number of rows after the first one; the last row is the end.
    time_step : float
        Time step [s].
    integrator : str
        Rotational scheme, a name from `dem.INTEGRATORS`.

    Examples
    --------
    >>> import dem
    >>> top = dem.cases()["symmetric-top"](integrator="splitting", duration=1.0)
    >>> float(top.errors(top.history()).max()) < 1e-12
    True
    """

    frame: ClassVar[str] = "world"
    torque: ClassVar[str | Callable] = "none"  # as `dem.integrate_rotation` takes it
    start: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.0)  # angular velocity [rad/s]

    def inertia(self) -> tuple[float, float, float]:
        """Principal moments [kg m²]."""
        raise NotImplementedError

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Orientations (K, 4) in closed form, or by a reference far more accurate than any scheme at `time_step`."""
        raise NotImplementedError

    def history(self, integrator: str | None = None, time_step: float | None = None) -> RotationHistory:
        """Integrate with this case's scheme and time step, or others."""
        from dem.rotation.study import integrate_rotation  # noqa: PLC0415, cases are listed without

        dt = time_step or self.time_step
        steps = max(1, round(self.duration / dt))
        return integrate_rotation(
            integrator or self.integrator, inertia=self.inertia(), angular_velocity=self.start, torque=self.torque,
            time_step=dt, steps=steps, frame=self.frame, every=self.steps_a_frame(steps),
        )  # fmt: skip

    def errors(self, history: RotationHistory) -> np.ndarray:
        """Full angle between the orientations found and the exact ones (K,) [rad]."""
        from dem.rotation.study import angle_between  # noqa: PLC0415

        return angle_between(self.exact(history.time), history.orientation)

    def table(self) -> tuple[np.ndarray, str, str]:
        """Columns with time, orientation, angular velocity and error, their names, and a summary in words."""
        history = self.history()
        errors = self.errors(history)
        columns = np.column_stack([history.time, history.orientation, history.angular_velocity, errors])
        said = (
            f"{len(history.time)} rows; with {self.integrator} the orientation is off by {errors[-1]:.3g} rad at the "
            f"end, by {errors.max():.3g} at most"
        )
        names = ("time_s", *STATE["orientation"].columns, *STATE["angular_velocity"].columns, "angle_error_rad")
        return columns, ",".join(names), said
