"""Quantities in case files and on the command line: plain SI numbers, or strings with a unit such as "10 mm".

Strings are parsed by pint, with a registry of the few units below in place of its usual thousand. That one counts
radians as numbers, so that 60 rpm would pass for a frequency of 6.28 Hz; here an angle has a dimension. It is also
fifty times quicker to make. Decimal arithmetic rounds once: "9.3 mm" is the float 0.0093. pint is imported with the
first string (0.1 s), so that files of plain numbers and all other commands do not wait for it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dem.base.text import shown, with_article

if TYPE_CHECKING:
    import pint

UNITS = """
giga- = 1e9 = G-
mega- = 1e6 = M-
kilo- = 1e3 = k-
centi- = 1e-2 = c-
milli- = 1e-3 = m-
micro- = 1e-6 = µ- = μ- = u-
nano- = 1e-9 = n-
metre = [length] = m = metres
gram = [mass] = g = grams
second = [time] = s = seconds
radian = [angle] = rad = radians
degree = 0.01745329251994329576923690768488613 * radian = deg = degrees
revolution = 360 * degree = rev = revolutions
minute = 60 * second = min = minutes
hour = 60 * minute = h = hours
hertz = 1 / second = Hz
rpm = revolution / minute
newton = kilogram * metre / second**2 = N = newtons
pascal = newton / metre**2 = Pa = pascals
joule = newton * metre = J = joules
watt = joule / second = W = watts
kelvin = [temperature] = K = kelvins
"""
NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3}(?!\d))?)\s*(.*?)\s*", re.DOTALL)
LONGEST = 100  # letters of a quantity with its unit; pint takes seconds for many thousands
CELSIUS, ZERO_CELSIUS = ("degC", "°C"), Decimal("273.15")  # a scale with another zero; differences are in K
POWER = re.compile(r"(?<=[^\W\d])(-?\d+)")  # of a unit: m3, s-2


class Quantity(NamedTuple):
    """Physical quantity of a field of a case file."""

    name: str
    unit: str
    example: str

    @property
    def with_article(self) -> str:
        """Its name, such as "a length"."""
        return with_article(self.name)

    def value(self, given: object) -> object:
        """SI value of a string with a unit; anything else unchanged.

        Raises
        ------
        ValueError
            If there is no number, no unit, or one of another dimension.

        Examples
        --------
        >>> LENGTH.value("10 mm"), DENSITY.value("2.5 g/cm3"), LENGTH.value(0.01), TEMPERATURE.value("20 degC")
        (0.01, 2500.0, 0.01, 293.15)
        """
        if not isinstance(given, str):
            return given
        expected = f"expected {self.with_article} [{self.unit}], such as {self.example!r}"
        if len(given) > LONGEST:
            raise ValueError(f"{shown(given)} has {len(given)} letters: {expected}")
        parts = NUMBER.fullmatch(given)
        if parts is None:
            raise ValueError(f"{shown(given)} does not begin with a number: {expected}")
        number, unit = parts.groups()
        if unit in CELSIUS and self.unit == "K":
            return float(Decimal(number) + ZERO_CELSIUS)
        factor = _factor(unit, self.unit)
        if isinstance(factor, str):
            raise ValueError(f"{shown(given)} {factor}: {expected}")
        return float(Decimal(number) * factor)


@cache
def _factor(unit: str, target: str) -> Decimal | str:
    """Factor from a unit to the target unit, or the reason why there is none."""
    import pint  # noqa: PLC0415, only for strings

    if not unit:
        return "has no unit"
    try:
        parsed = _registry().parse_units(f"1{unit}" if unit.startswith("/") else unit)
    except Exception:
        return f"has the unknown unit {unit!r}"
    try:
        return _registry().Quantity(Decimal(1), parsed).to(target).magnitude
    except pint.DimensionalityError:
        return f"is in {unit}"


@cache
def _registry() -> pint.UnitRegistry:
    import pint  # noqa: PLC0415

    made = pint.UnitRegistry(
        None, non_int_type=Decimal, preprocessors=[lambda text: POWER.sub(r"**\1", text.replace("^", "**"))]
    )
    made._suffixes = {"": ""}  # noqa: SLF001, pint takes an s behind symbols for a plural: mPas for mPa
    made.load_definitions(UNITS.strip().splitlines())
    return made


LENGTH = Quantity("length", "m", "10 mm")
TIME = Quantity("time", "s", "5 us")
DENSITY = Quantity("density", "kg/m3", "2.5 g/cm3")
MODULUS = Quantity("modulus", "Pa", "50 MPa")
ANGLE = Quantity("plane angle", "rad", "60 deg")
FREQUENCY = Quantity("frequency", "Hz", "30 Hz")
SPEED = Quantity("speed", "m/s", "5 cm/s")
SPIN = Quantity("rate of rotation", "rad/s", "60 rpm")
ACCELERATION = Quantity("acceleration", "m/s2", "9.81 m/s2")
MASS = Quantity("mass", "kg", "5 g")
VISCOSITY = Quantity("dynamic viscosity", "Pa s", "1.8e-5 Pa s")
DEGREES = Quantity("plane angle", "deg", "60 deg")  # of cases; files take radians
RATE = Quantity("rate", "1/s", "10 1/s")
WAVENUMBER = Quantity("inverse length", "1/m", "400 1/m")
FORCE = Quantity("force", "N", "0.5 N")
TEMPERATURE = Quantity("temperature", "K", "20 degC")
CONDUCTIVITY = Quantity("thermal conductivity", "W/(m K)", "0.8 W/m/K")
HEAT_CAPACITY = Quantity("specific heat capacity", "J/(kg K)", "840 J/kg/K")
CAPACITY = Quantity("heat capacity", "J/K", "500 J/K")
VOLUME = Quantity("volume", "m3", "1000 cm3")
HEAT_FLUX = Quantity("heat flux", "W/m2", "2 kW/m2")
EXPANSION = Quantity("coefficient of thermal expansion", "1/K", "1.2e-5 1/K")
SURFACE_ENERGY = Quantity("energy per area", "J/m2", "50 mJ/m2")
STIFFNESS = Quantity("force per length", "N/m", "1 kN/m")
DASHPOT = Quantity("damping coefficient", "N s/m", "0.01 N s/m")
MASS_RATE = Quantity("mass per time", "kg/s", "5 kg/h")
INERTIA = Quantity("moment of inertia", "kg m2", "20 g cm2")
ALL = (LENGTH, TIME, DENSITY, MODULUS, ANGLE, FREQUENCY, SPEED, SPIN, ACCELERATION, MASS, VISCOSITY, DEGREES)
ALL += (RATE, WAVENUMBER, FORCE, TEMPERATURE, CONDUCTIVITY, HEAT_CAPACITY, CAPACITY, HEAT_FLUX)
ALL += (EXPANSION, VOLUME, SURFACE_ENERGY, STIFFNESS, DASHPOT, MASS_RATE, INERTIA)
