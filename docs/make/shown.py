"""How each case is shown in the gallery: by a run of seconds, so that everybody can repeat it."""

from __future__ import annotations

from typing import NamedTuple


class Shown(NamedTuple):
    """What is run, and how it is drawn."""

    settings: dict[str, str] = {}  # noqa: RUF012, never changed
    duration: float | None = None  # [s]; default: that of the case
    frames: int = 40
    colour: str = "speed"
    exposures: int = 1
    near: bool = False  # from near the particles, whatever the size of the box

    def words(self, name: str) -> list[str]:
        """The command that runs it, without ``dem``."""
        said = ["run", name]
        if self.duration is not None:
            said += ["--duration", f"{self.duration:g}"]
        for key, value in self.settings.items():
            said += ["--set", f"{key}={value}"]
        return said


SHOWN = {
    "breaking-rods": Shown({"n": "30"}, duration=0.1),
    "bulk-density": Shown({"n": "300"}, duration=0.3, colour="height"),
    "cantilever": Shown(duration=0.02, exposures=6),
    "cellular-fibres": Shown(duration=0.2),
    "chute": Shown({"n": "200"}, duration=0.2),
    "coupled-cylinders": Shown(),
    "dice": Shown({"n": "90", "width": "0.065"}, duration=0.4, colour="kind", near=True),
    "direct-shear": Shown({"n": "300", "consolidated": "0.15"}, duration=0.3, colour="height"),
    "draw-down": Shown({"n": "500", "diameter": "4e-3"}, duration=0.4),
    "drop-test": Shown({"young": "1e6"}, exposures=8),
    "drum": Shown({"coarse": "4", "time_step": "3e-5"}, duration=0.3, colour="kind"),
    "drum-38k": Shown({"coarse": "4", "softness": "100", "time_step": "3e-5"}, duration=0.1, colour="kind"),
    "drum-test": Shown({"n": "400", "diameter": "4e-3"}, duration=0.4),
    "ellipsoid-packing": Shown(duration=0.2, colour="height"),
    "ellipsoids-hopper": Shown(duration=0.3),
    "fibre-bale": Shown({"n": "40"}, duration=0.12, colour="height"),
    "fibres-in-sphere": Shown(duration=0.3, exposures=4),
    "fibres-in-water": Shown(duration=0.3, exposures=6),
    "flexible-fibre": Shown(duration=0.02, exposures=6),
    "flow-energy": Shown({"n": "300", "tip_speed": "0.2"}, duration=0.5, colour="speed"),
    "fluidised-bed": Shown(duration=0.05),
    "granular-cooling": Shown({"n": "500"}, duration=0.5),
    "hard-spheres": Shown({"n": "500"}, duration=0.2),
    "heap": Shown({"n": "200"}, duration=0.4),
    "heated-bed": Shown(colour="temperature", near=True),
    "heated-drum": Shown({"n": "250"}, duration=0.5, colour="temperature"),
    "heated-row": Shown(colour="temperature"),
    "hopper": Shown({"n": "150"}, duration=0.3),
    "hot-fluidised-bed": Shown(duration=0.15, colour="temperature"),
    "impact": Shown({"coarse": "4", "time_step": "6e-6"}, duration=0.02),
    "impact-25k": Shown({"coarse": "4", "softness": "10", "time_step": "6e-6"}, duration=0.02),
    "incline-test": Shown({"young": "1e6"}, exposures=8),
    "jenike-shear": Shown({"n": "900"}, duration=0.2, colour="speed"),
    "jeffery-orbit": Shown(duration=0.5, exposures=8),
    "ledge": Shown({"n": "300", "diameter": "4e-3"}, duration=0.4),
    "many-fibres": Shown({"n": "300"}, duration=0.02, colour="spin"),
    "many-spheres": Shown({"n": "1000"}, duration=0.02),
    "mixer": Shown({"n": "200"}, duration=0.3),
    "nine-fibres": Shown(duration=0.5, exposures=12),
    "rain": Shown({"number": "600"}, duration=0.25),
    "ring-shear": Shown({"n": "900"}, duration=0.2, colour="speed"),
    "rolling-pendulum": Shown({"young": "1e6"}, duration=0.3, exposures=8),
    "rotating-drum": Shown({"n": "250"}, duration=0.5),
    "rough-wall": Shown(),
    "self-heating-gas": Shown(duration=0.02, colour="temperature"),
    "settling-fibres": Shown({"diameter": "2.5e-5"}, duration=0.2, exposures=5),
    "settling-spheres": Shown(duration=0.2, exposures=5),
    "shear-head": Shown({"n": "900"}, duration=0.2, colour="speed"),
    "sheared-fibres": Shown(duration=0.1, colour="spin"),
    "silo": Shown({"coarse": "4", "time_step": "5e-5"}, duration=0.2),
    "silo-100k": Shown({"coarse": "4", "softness": "100", "time_step": "5e-5"}, duration=0.1),
    "single-fibre": Shown(duration=0.5, exposures=15),
    "stochastic-cooling": Shown({"n": "1000"}, duration=0.2),
    "superellipsoid-drum": Shown(duration=0.15),
    "symmetric-top": Shown(),
    "tablets-heap": Shown(duration=0.4),
    "torque-cylinder": Shown(),
    "torque-sphere": Shown(),
    "turbulent-gas": Shown({"n": "1000"}, duration=0.2),
    "uniaxial-compression": Shown({"n": "150", "width": "0.024", "height": "0.019"}, duration=1.0, colour="height"),
    "vibrated-bed": Shown({"n": "200"}, duration=0.3, colour="kind"),
}
OTHER = Shown(duration=0.1)  # of cases that nobody has looked at yet
