"""Equivalent spheroids of fibres: resistances of spheroids, cylinders and slender bodies."""

from __future__ import annotations

import math

from dem.model.shapes.spheroid import resistance
from dem.validation.report import Report, curves

WAYS = ("along", "across", "tumbling")
CHOICES = {  # half axes along and across a cylinder of length 2 and diameter 2/p
    "equal volume and ratio": lambda p: (1.5 ** (1 / 3), 1.5 ** (1 / 3) / p),
    "equal length and volume": lambda p: (1.0, math.sqrt(1.5) / p),
    "equal length and diameter": lambda p: (1.0, 1.0 / p),
}
USED = "equal volume and ratio"


def cylinder(p: float) -> tuple[float, float, float]:
    """Resistances over μL, μL and μL³ of cylinders of 2 < p < 30 lengths over diameter.

    M. M. Tirado, J. García de la Torre, J. Chem. Phys. 71 (1979) 2581 and 73 (1980) 1986.
    """
    log = math.log(p)
    return (
        2 * math.pi / (log - 0.207 + 0.980 / p - 0.133 / p**2),
        4 * math.pi / (log + 0.839 + 0.185 / p + 0.233 / p**2),
        math.pi / (3 * (log - 0.662 + 0.917 / p - 0.050 / p**2)),
    )


def slender(p: float) -> tuple[float, float, float]:
    """Resistances of long cylinders by slender-body theory (G. K. Batchelor, J. Fluid Mech. 44 (1970) 419)."""
    log = math.log(2 * p) + math.log(2)
    return 2 * math.pi / (log - 1.5), 4 * math.pi / (log - 0.5), math.pi / (3 * (log - 11 / 6))


def spheroid(choice: str, p: float) -> tuple[float, float, float]:
    """Resistances of the spheroid that represents a cylinder of p lengths over diameter."""
    a, b = CHOICES[choice](p)
    r = resistance(a / b)
    return 3 * math.pi * a * r.x_a, 3 * math.pi * a * r.y_a, math.pi * a**3 * r.y_c


def equivalent(*, quick: bool) -> Report:
    """Resistances of spheroids next to those of cylinders."""
    report = Report("spheroids", "Which spheroid stands for a fibre")
    ratios = (2, 3, 5, 10, 20, 30) if quick else (2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
    rows = []
    for p in ratios:
        exact, thin = cylinder(p), slender(p)
        for k, way in enumerate(WAYS):
            off = [spheroid(choice, p)[k] / exact[k] - 1 for choice in CHOICES]
            rows.append((p, way, exact[k], thin[k] / exact[k] - 1, *off))
    for way, expected in zip(WAYS, (-0.023, 0.016, -0.057), strict=True):
        row = next(row for row in rows if row[:2] == (5, way))
        report.near(f"p = 5, {way}: spheroid of {USED}, off the cylinder", row[4], expected, exact=f"{expected}",
                    within=1e-3, relative=False)  # fmt: skip
    for way, most in zip(WAYS, (0.04, 0.06, 0.2), strict=True):
        of_way = [row for row in rows if row[1] == way]
        report.below(f"p = 2 to 30, {way}: off the cylinder by", max(abs(row[4]) for row in of_way), most)
        report.below(f"p = 30, {way}: slender bodies off the cylinder by", abs(of_way[-1][3]), 0.07)
    worst = {c: max(abs(row[4 + k]) for row in rows) for k, c in enumerate(CHOICES)}
    report.statements += [
        "Independent: Tirado & García de la Torre's fits for flat cylinders; slender bodies by Batchelor (1970). A "
        "chain of spheres is neither: round ends and waists.",
        "Largest deviation from p = 2 to 30: "
        + ", ".join(f"{choice}: {100 * off:.0f} %" for choice, off in worst.items())
        + f". The engine takes {USED}: the one whose volume, hence weight and relaxation time, is that of the body.",
        "How a blunt rod turns in shear is another matter: as a spheroid of 1.24 p/√ln p (Cox 1971), 8.2 for p = 10.",
    ]
    columns = ["length_over_diameter", "resistance", "cylinder", "slender", *(c.replace(" ", "_") for c in CHOICES)]
    report.tables["resistances"] = (columns, rows)
    lines = {
        f"{choice}, {way}": (ratios, [100 * row[4 + k] for row in rows if row[1] == way])
        for k, choice in enumerate(CHOICES) for way in WAYS
    }  # fmt: skip
    report.figures["resistances"] = curves(
        "spheroids for cylinders", "length over diameter", "off the cylinder's resistance [%]", lines
    )
    return report
