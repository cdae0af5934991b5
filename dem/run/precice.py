"""Two-way coupling with a flow solver by preCICE (precice.org), as a function of `dem.Coupling`.

It was written for the documented interface of preCICE 3, and tested with a stand-in for preCICE
(tests/plain/test_precice.py): `pyprecice` is distributed as sources only and needs the library of preCICE 3, which was
not available. It has not been run with the real library yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.imports import library
from dem.base.user_classes import hinted
from dem.model.fluid.coupling import FlowState

if TYPE_CHECKING:
    from dem.model.fluid.coupling import Exchange

EVEN = 1e-6  # share of an interval by which time windows may be off


@hinted
@dataclass(kw_only=True)
class PreciceFlow:
    """Function for `dem.Coupling` that gets the flow from another participant of preCICE.

    Vertices are the centres of the cells, x slowest, in the mesh of this participant. Written, one vector or scalar a
    vertex: the force of the particles on the fluid over the volume of the cell [N/m³], mean of the interval;
    voidage; resistance over the volume [N s/m⁴]; velocity of the particles [m/s]. Read: velocity of the fluid [m/s],
    pressure gradient [Pa/m], its density [kg/m³] and viscosity [Pa s]. Names that are None are not exchanged. The
    coupling scheme has to be explicit, its time window as long as the interval between two exchanges, `Cells.every`
    time steps. Runs that go on from a file connect anew, and the other participant has to go on likewise.

    Parameters
    ----------
    config : str
        Path of preCICE's configuration.
    participant, mesh : str
        Names of the participant and of the mesh in preCICE.
    force, voidage, resistance, solid_velocity : str or None
        Data that is written.
    velocity, pressure_gradient, density, viscosity : str, str or None
        Data that is read; model A needs the second. Density and viscosity are by default those of `dem.Fluid`.

    Raises
    ------
    ImportError
        If pyprecice is not installed.
    ValueError, RuntimeError
        In a run: for a mesh that is not three-dimensional, an implicit scheme, time windows that are not as long as
        intervals, or a coupling that is over before the run is.

    Examples
    --------
    >>> flow = PreciceFlow(config="precice-config.xml", velocity="Velocity", pressure_gradient=None)
    >>> flow.participant, flow.mesh, flow.force
    ('Particles', 'Cells', 'Force')
    """

    config: str
    participant: str = "Particles"
    mesh: str = "Cells"
    force: str | None = "Force"
    voidage: str | None = "Voidage"
    resistance: str | None = None
    solid_velocity: str | None = None
    velocity: str = "Velocity"
    pressure_gradient: str | None = "PressureGradient"
    density: str | None = None
    viscosity: str | None = None
    _solver: object = field(default=None, init=False, repr=False)
    _vertices: np.ndarray | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check all values."""
        for name in ("config", "participant", "mesh", "velocity"):
            checks.text(name, getattr(self, name))

    def __call__(self, exchange: Exchange) -> FlowState:
        """Send the reaction of the particles, let the coupled solvers advance, and read the flow."""
        if self._solver is None:
            self._begin(exchange)
        elif not self._solver.is_coupling_ongoing():
            message = (
                f"the coupling by preCICE was over before t = {exchange.time:.6g} s: let max-time in {self.config} be "
                "at least as long as the run"
            )
            raise RuntimeError(message)
        else:
            self._check_window(exchange.interval)
            self._write(exchange)
            self._solver.advance(exchange.interval)
        return self._read(exchange)

    def close(self) -> None:
        """End the coupling."""
        if self._solver is not None:
            self._solver.finalize()
            self._solver = None

    def _begin(self, exchange: Exchange) -> None:
        precice = library("precice", extra="precice", purpose="a coupling by preCICE")
        solver = precice.Participant(self.participant, self.config, 0, 1)
        if solver.get_mesh_dimensions(self.mesh) != 3:
            message = f"mesh {self.mesh} of {self.config} has not three dimensions: let it have"
            raise ValueError(message)
        places = np.meshgrid(*(exchange.cells.centres(axis) for axis in "xyz"), indexing="ij")
        self._vertices = solver.set_mesh_vertices(self.mesh, np.column_stack([each.ravel() for each in places]))
        self._solver = solver
        if solver.requires_initial_data():
            self._write(exchange)
        solver.initialize()
        if solver.requires_writing_checkpoint():
            message = (
                f"{self.config} couples implicitly, and particles cannot be set back: take serial-explicit or "
                "parallel-explicit"
            )
            raise ValueError(message)
        self._check_window(exchange.cells.every * exchange.time_step)

    def _check_window(self, interval: float) -> None:
        window = self._solver.get_max_time_step_size()
        if abs(window - interval) > EVEN * interval:
            message = (
                f"the time window of {self.config} is {window:.9g} s, and particles exchange every {interval:.9g} s, "
                "every of dem.Cells times time_step: let them agree"
            )
            raise ValueError(message)

    def _write(self, exchange: Exchange) -> None:
        """Write the data that have a name in the coupling."""
        volume, interval = exchange.cells.volume, exchange.interval
        force = exchange.momentum / (volume * interval) if interval > 0 else np.zeros_like(exchange.momentum)
        written = {
            self.force: force, self.voidage: exchange.voidage, self.resistance: exchange.resistance / volume,
            self.solid_velocity: exchange.solid_velocity,
        }  # fmt: skip
        for name, values in written.items():
            if name is not None:
                rows = values.reshape(self._vertices.size, -1)
                self._solver.write_data(self.mesh, name, self._vertices, rows if rows.shape[1] == 3 else rows.ravel())

    def _read(self, exchange: Exchange) -> FlowState:
        """Answer of the other participants at the beginning of the next time window."""

        def read(name: str | None, *components: int) -> np.ndarray | None:
            if not name:
                return None
            values = self._solver.read_data(self.mesh, name, self._vertices, 0.0)
            return np.asarray(values).reshape(*exchange.cells.number, *components)

        return FlowState(
            velocity=read(self.velocity, 3), pressure_gradient=read(self.pressure_gradient, 3),
            density=read(self.density), viscosity=read(self.viscosity),
        )  # fmt: skip
