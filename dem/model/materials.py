"""Materials: elastic constants, density, and contact properties."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from dem.base import checks
from dem.base.text import cut
from dem.base.user_classes import hinted
from dem.model import temperature_tables
from dem.model.contact.law_registry import LawPart, plain, store_checked
from dem.model.temperature_tables import Property

NUMBERS = ("young", "poisson", "density", "restitution", "friction")
THERMAL = {"conductivity": "W/(m K)", "heat_capacity": "J/(kg K)", "real_young": "Pa"}
BY_TEMPERATURE = ("conductivity", "heat_capacity")
CONTACT_TABLES = {"restitution_by_temperature": "restitution", "friction_by_temperature": "friction"}
MAX_EXPANSION = 1e-3  # of the coefficient, that of a gas being three times as large [1/K]
OPTIONAL = {*THERMAL, *CONTACT_TABLES, "expansion"}  # that files leave out where they are not given


def _checked_table(name: str, given: object) -> Property:
    """Check a table of a contact property; raises ValueError or TypeError."""
    table = temperature_tables.checked(name, given, "1", least=0.0)
    if not temperature_tables.is_table(table):
        message = f"{name} is {table:g}, expected rows of a temperature [K] and the value there: give "
        raise ValueError(message + f"{CONTACT_TABLES[name]}={table:g} for one number")
    if CONTACT_TABLES[name] == "restitution":
        for k, (_, value) in enumerate(table):
            checks.number(f"value {k} of {name}", value, above=0, most=1)
    return table


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Material:
    """Properties of a solid, for particles and walls.

    Parameters
    ----------
    young : float
        Young's modulus [Pa], positive.
    poisson : float
        Poisson's ratio, in (-1, 0.5].
    density : float
        Mass per volume [kg/m³], positive, default 1000. Walls do not use it.
    restitution : float
        Ratio of normal speeds after and before an impact with the same material, in (0, 1], default 1.
    friction : float
        Coulomb's coefficient of the material on itself, not negative, default 0. `dem.Contacts` is for pairs of
        materials.
    normal, damping, tangential, rolling, twisting, adhesion : optional
        Law components between two bodies of the material, see `dem.Contact`.
    conductivity : float or table, optional
        Thermal conductivity [W/(m K)], of particles and of walls with a temperature in a run with `dem.Heat`. A table
        has rows of a temperature [K] and the value there, such as ``[(300, 45.0), (600, 38.0)]``; it is linear between
        them, and constant beyond the first and the last.
    heat_capacity : float or table, optional
        Specific heat capacity [J/(kg K)], of particles in such a run; likewise.
    restitution_by_temperature, friction_by_temperature : table, optional
        In place of `restitution` and `friction` of particles in such a run, by their temperatures: rows as of
        `conductivity`. The value is that at the nearest of 33 temperatures from the first row to the last. Contacts of
        two particles take the rule of `dem.Contacts` at the temperatures of both. Materials of walls keep their
        numbers, and pairs with an entry in `dem.Contacts` those of the entry.
    expansion : float, optional
        Coefficient of linear thermal expansion α [1/K] of spheres in such a run, at most 1e-3. The radius is
        R (1 + α (T - 293.15 K)), with the temperature to the nearest kelvin, at the same mass. Default: none.
    real_young : float, optional
        Young's modulus of the real solid, if `young` is a softened one [Pa]: areas that conduct heat are reduced to
        those of the real solid at the same force. Default: `young`.
    name : str
        Tells materials apart: two of different names are two materials, even if all their numbers are equal. Two
        without a name and with equal numbers are one, unless an entry of `dem.Contacts` is for one of them.

    Raises
    ------
    ValueError, TypeError
        If a value is outside its range, or a name no text.

    Examples
    --------
    >>> nylon = Material(young=5e7, poisson=0.35, density=1100.0)
    >>> round(nylon.effective_modulus(nylon))
    28490028
    """

    young: float
    poisson: float
    density: float = 1000.0
    restitution: float = 1.0
    friction: float = 0.0
    normal: LawPart | None = None
    damping: LawPart | None = None
    tangential: LawPart | None = None
    rolling: LawPart | None = None
    twisting: LawPart | None = None
    adhesion: LawPart | None = None
    conductivity: Property | None = None
    heat_capacity: Property | None = None
    real_young: float | None = None
    restitution_by_temperature: Property | None = None
    friction_by_temperature: Property | None = None
    expansion: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        """Check all values, and keep them as floats."""
        checked = {
            "young": checks.number("young", self.young, above=0, unit="Pa"),
            "poisson": checks.number("poisson", self.poisson, above=-1, most=0.5),
            "density": checks.number("density", self.density, above=0, unit="kg/m3"),
        }
        for name, unit in THERMAL.items():
            if getattr(self, name) is not None:
                if name in BY_TEMPERATURE:
                    checked[name] = temperature_tables.checked(name, getattr(self, name), unit)
                else:
                    checked[name] = checks.number(name, getattr(self, name), above=0, unit=unit)
        if self.expansion is not None:
            checked["expansion"] = checks.number("expansion", self.expansion, above=0, most=MAX_EXPANSION, unit="1/K")
        for name in CONTACT_TABLES:
            if getattr(self, name) is not None:
                checked[name] = _checked_table(name, getattr(self, name))
        checks.text("name", self.name)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        store_checked(self)
        table = () if self.tangential else self.friction_by_temperature or ()
        frictionless = [temperature for temperature, friction in table if friction == 0]
        for slot in ("rolling", "twisting"):
            if frictionless and getattr(self, slot):
                raise ValueError(
                    f"friction_by_temperature is 0 at {frictionless[0]:g} K, and {slot} acts only with friction: give "
                    f"a value above 0, or leave {slot} out"
                )

    def saved(self) -> dict[str, object]:
        """Values that files store; thermal properties that were not given are left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if not (name in OPTIONAL and value is None)}

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        return f"Material({', '.join(f'{name}={getattr(self, name)!r}' for name in plain(self))})"

    @property
    def label(self) -> str:
        """The material in messages: by its name, or else by its numbers.

        Examples
        --------
        >>> Material(young=5e7, poisson=0.35, name="nylon").label, Material(young=5e7, poisson=0.35).label
        ("the material 'nylon'", 'the material with young=5e+07, poisson=0.35, density=1000, restitution=1, friction=0')
        """
        if self.name:
            return f"the material {cut(self.name)!r}"
        numbers = (f"{name}={getattr(self, name):g}" for name in NUMBERS)
        return f"the material with {', '.join(numbers)}"

    def with_young(self, young: float) -> Material:
        """The material with another Young's modulus [Pa]."""
        return replace(self, young=young, real_young=None)

    def effective_modulus(self, other: Material) -> float:
        """E* of the two materials in contact [Pa]: 1/E* = (1 - ν₁²)/E₁ + (1 - ν₂²)/E₂ (Johnson 1985, sec. 4.2)."""
        one, two = ((1.0 - m.poisson * m.poisson) / m.young for m in (self, other))
        return 1.0 / (one + two)

    def effective_shear_modulus(self, other: Material) -> float:
        """G* of the two materials in contact [Pa]: 1/G* = (2 - ν₁)/G₁ + (2 - ν₂)/G₂, G = E/(2 + 2 ν) (Mindlin 1949)."""
        compliance = sum(2 * (2 - m.poisson) * (1 + m.poisson) / m.young for m in (self, other))
        return 1 / compliance
