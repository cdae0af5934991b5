"""Tables of case files for cells, lubrication and couplings."""

import json
import re
from importlib.metadata import EntryPoint

import pytest
from dem.cases.gas_column import GasColumn
from pydantic import ValidationError

import dem
from dem.base import imports
from dem.casefile.case_content import content
from dem.casefile.schema import fluid as tables
from dem.casefile.schema.fluid import FluidTable
from dem.casefile.toml import tomllib

WATER = 'density = 1000.0\nviscosity = "1 mPa*s"\n'


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Entry points as they are when installed."""
    found = [
        EntryPoint("gas-column", "dem.cases.gas_column:GasColumn", tables.GROUP),
        EntryPoint("no-class", "dem.cases.gas_column:pressure_drop", tables.GROUP),
    ]
    monkeypatch.setattr(imports, "entry_points", lambda group: found if group == tables.GROUP else [])


def fluid(text):
    return FluidTable.model_validate(tomllib.loads(WATER + text)).build()


def test_tables_are_what_python_says():
    given = fluid(
        'drag = "gidaspow"\ncells = { size = "3 mm", every = 20 }\nlubrication = { roughness = "1 um" }\n'
        'model = "A"\ncoupling = { function = "gas-column", implicit = true, parameters = { end = 0.5 } }'
    )
    assert given == dem.Fluid(
        density=1000, viscosity=1e-3, drag="gidaspow", cells=dem.Cells(size=3e-3, every=20), model="A",
        lubrication=dem.Lubrication(roughness=1e-6),
        coupling=dem.Coupling(function=GasColumn(end=0.5), implicit=True),
    )  # fmt: skip
    assert fluid("").cells is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cells = { size = 0.1, number = [1, 1, 1] }", "number and size of cells are both given"),
        ("cells = { number = [1, 0, 1] }", "greater than or equal to 1"),
        ("cells = { every = 0 }", "greater than or equal to 1"),
        ("lubrication = { reach = 0.1 }", "roughness"),
        ('coupling = { function = "gas-colum" }', "did you mean gas-column"),
        ('coupling = { function = "no-class" }', "expected a dataclass"),
        (
            'coupling = { function = "gas-column", parameters = { speed = 1.0 } }',
            "parameters of gas-column are start, end",
        ),
        ('drag = "ergun"', "unknown drag 'ergun'"),
        ('model = "C"', "'A' or 'B'"),
    ],
)
def test_tables_that_cannot_be(text, said):
    with pytest.raises(ValidationError, match=re.escape(said)):
        fluid(text)


class Bed(dem.Case):
    """A case with a dense bed."""

    name = "bed"

    def build(self):
        """One sphere."""
        glass = dem.Material(young=1e6, poisson=0.2, density=2500.0)
        one = dem.Particles(dem.Sphere(diameter=1e-3), glass, position=[(0.005, 0.005, 0.005)])
        return one, dem.Box((0, 0, 0), (0.01,) * 3, glass)

    def fluid(self):
        """Water."""
        return dem.Fluid(
            density=1000, viscosity=1e-3, drag="beetstra", cells=dem.Cells(number=(2, 2, 2)),
            lubrication=dem.Lubrication(roughness=1e-6),
        )  # fmt: skip


def test_a_case_with_a_bed_can_be_told_in_a_file():
    told = content(Bed())["fluid"]
    again = FluidTable.model_validate(json.loads(json.dumps(told))).build()
    assert again == Bed().fluid()
