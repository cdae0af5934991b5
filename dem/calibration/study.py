"""Studies: the tables of a study file, checked before anything is computed."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError, field_validator

from dem.base import checks, units
from dem.base.text import counted, shown
from dem.calibration.surrogate import extra_library
from dem.case import AnyCase, BaseCase
from dem.casefile import choose_case, with_text_parameters
from dem.casefile.load import error_lines
from dem.casefile.schema.key_types import Count, Factor, Number, Seed, Table
from dem.casefile.toml import parsed
from dem.sweeps import parameter_words

ASSUMED = 0.05  # standard error of a measurement without one, over its value
QUANTILE = 0.975  # upper end of a 95 % interval
PROBE = "1 bushel"  # of a unit that there is not: the message tells which unit a key has
EXPECTED = re.compile(r"expected an? [^\[]*\[([^\]]+)\]")
FOLDER = re.compile(r"[\w-][\w .-]*")  # names of tests
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")
BETWEEN = 0.371  # share of the range whose value is whole by chance only
DIGITS = 6  # of parameters, so that a point has the same words on every machine


class StudyError(ValueError):
    """Errors of a study file, a line for each."""

    guide = "calibration"  # page that the command line names


class ParameterTable(Table):
    """Table of a parameter to be calibrated."""

    bounds: tuple[float | str, float | str] = Field(
        description="smallest and largest value, with a unit if the parameter has one", examples=[[0.1, 0.8]]
    )
    scale: Literal["linear", "log"] = Field("linear", description="on which all values are equally likely at first")
    set: str | list[str] | dict[str, str | list[str]] = Field(
        [], description="what it sets in cases, as --set; or a table of that by test; default: its own name"
    )

    @field_validator("bounds", mode="before")
    @classmethod
    def _two(cls, bounds: object) -> object:
        if not isinstance(bounds, (list, tuple)) or len(bounds) != 2:
            raise ValueError(f"expected the smallest and the largest value, such as [0.1, 0.8], not {shown(bounds)}")
        odd = [each for each in bounds if isinstance(each, float) and not math.isfinite(each)]
        if odd:
            raise ValueError(f"expected finite numbers, not {odd[0]}")
        return bounds


class ObservableTable(Table):
    """Table of an observable of a test, and its measured value."""

    measured: Number | None = Field(None, description="mean of the measurements; without one it is only predicted")
    standard_error: Factor | None = Field(None, description="of that mean; default: a twentieth of it")
    file: str | None = Field(None, description="CSV with a column of this name that has repeated measurements")


class TestTable(Table):
    """Table of a virtual test: runs of a case, and its observables."""

    __test__ = False  # it is none of pytest's

    case: Any = Field(description="name of a case, path of a case file, or a class", examples=["heap"])
    settings: dict[str, Any] = Field({}, description="parameters of the case that are the same in all runs")
    seed: str | None = Field(None, description="parameter of the case that takes seeds; default: seed, if it has one")
    observables: dict[str, ObservableTable] = Field(
        description="a table for each, such as observables.angle_of_repose_deg = {measured = 27.5}"
    )
    picture: str | None = Field(None, description="photograph of the measurement, for the report (PNG, JPEG, GIF, SVG)")


class StageTable(Table):
    """Table of a stage of the search with its own settings; coarse and cheap stages come first."""

    budget: Count = Field(description="points, each of them a run of every test with every seed")
    seeds: Count | None = Field(None, description="runs of each test at a point; default: those of the study")
    settings: dict[str, dict[str, Any]] = Field({}, description="by test: settings in place of those of the test")


class StudyTable(Table):
    """All tables of a study file."""

    parameters: dict[str, ParameterTable] = Field(
        description="a table [parameters] with each one's bounds, such as friction = {bounds = [0.1, 0.8]}"
    )
    tests: dict[str, TestTable] = Field(description="a table for each, such as [tests.heap], with case and observables")
    stages: list[StageTable] = Field([], description="default: one stage with the budget of the study")
    budget: Count = Field(40, description="points of a study without stages")
    seeds: Count = Field(2, description="runs of each test at a point, which tell how much is chance")
    seed: Seed = Field(1, description="of the search, and the first one of runs")
    batch: Count = Field(8, description="points that are chosen together")
    jobs: Count | None = Field(None, description="processes; default: as of dem sweep")
    threads: Count | None = Field(None, description="of each run; default: as of dem sweep")


class Parameter(NamedTuple):
    """A parameter with its range [in `unit`]."""

    name: str
    lower: float
    upper: float
    log: bool
    unit: str  # nothing of a plain number
    sets: dict[str, list[str]]  # parameters of cases, by test

    def value(self, share: float) -> float:
        """The value at a share of the range, rounded to a few digits."""
        if self.log:
            value = self.lower * (self.upper / self.lower) ** share
        else:
            value = self.lower + share * (self.upper - self.lower)
        return float(f"{value:.{DIGITS}g}")

    def share(self, value: float) -> float:
        """Position of a value in the range, from 0 to 1."""
        if self.log:
            return math.log(value / self.lower) / math.log(self.upper / self.lower)
        return (value - self.lower) / (self.upper - self.lower)


class Observable(NamedTuple):
    """A quantity that a test gives; `measured` is nan if it is only predicted."""

    test: str
    name: str
    measured: float
    error: float  # standard error of it

    @property
    def label(self) -> str:
        """Label of an observable: its test and its name."""
        return f"{self.test}: {self.name}"


class Test(NamedTuple):
    """A virtual test."""

    case: str | type[AnyCase]
    settings: dict[str, str]  # words as of ``--set``
    seed: str | None  # parameter that takes the seed
    picture: str | None = None  # path of a photograph


class Stage(NamedTuple):
    """A stage of the search."""

    budget: int
    seeds: int
    settings: dict[str, dict[str, str]]  # by test


class Study(NamedTuple):
    """A checked study."""

    name: str
    parameters: tuple[Parameter, ...]
    tests: dict[str, Test]
    observables: tuple[Observable, ...]
    stages: tuple[Stage, ...]
    seed: int
    batch: int
    jobs: int | None
    threads: int | None
    notes: tuple[str, ...]  # what was assumed

    @property
    def fitted(self) -> list[Observable]:
        """Observables that were measured."""
        return [each for each in self.observables if math.isfinite(each.measured)]

    def settings(self, stage: Stage, test: str, point: tuple[float, ...], seed: int) -> dict[str, str]:
        """Settings of a run, as text."""
        found = self.tests[test].settings | stage.settings.get(test, {})
        for parameter, value in zip(self.parameters, point, strict=True):
            found |= dict.fromkeys(parameter.sets.get(test, ()), parameter_words.of_values({"": value})[""][0])
        key = self.tests[test].seed
        return found | ({key: str(seed)} if key else {})

    def identity(self) -> dict:
        """Plain values that decide which runs a study makes, without budgets and measured values, which may change."""
        return {
            "parameters": [list(each) for each in self.parameters],
            "tests": {
                name: [each.case if isinstance(each.case, str) else each.case.name, each.settings, each.seed]
                for name, each in self.tests.items()
            },
            "stages": [[stage.seeds, stage.settings] for stage in self.stages],
            "seed": self.seed,
        }


def read_study(study: str | PathLike | Mapping) -> Study:
    """Read and check a study.

    Parameters
    ----------
    study : path or mapping
        A study file (TOML), or its content.

    Returns
    -------
    Study

    Raises
    ------
    ValueError, OSError
        If it cannot be read, or with one line for each thing in it that is wrong.

    Examples
    --------
    >>> study = read_study(
    ...     {
    ...         "parameters": {"restitution": {"bounds": [0.5, 0.9]}},
    ...         "tests": {"drop": {"case": "hard-spheres", "observables": {"height_m": {"measured": 0.1}}}},
    ...     }
    ... )
    Traceback (most recent call last):
    ValueError: tests.drop: hard-spheres has no observables, see dem.Case.observables
    """
    if isinstance(study, Mapping):
        return _checked(dict(study), "study", Path())
    if not isinstance(study, (str, PathLike)):
        raise TypeError(f"study is {shown(study)}, expected the path of a study file, or its content as a dict")
    path = Path(study)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {path}") from None
    except UnicodeDecodeError:
        raise StudyError(f"{path} is no study, which is text in UTF-8") from None
    try:
        return _checked(parsed(text), path.stem, path.parent)
    except ValueError as error:
        raise StudyError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


def _checked(content: dict, name: str, folder: Path) -> Study:
    try:
        table = StudyTable.model_validate(content)
    except ValidationError as error:
        raise ValueError("\n".join(error_lines(error, StudyTable))) from None
    wrong, notes = [], []
    wrong += [
        f"tests.{each}: a folder has this name, expected letters, digits, spaces, dots and hyphens"
        for each in table.tests
        if not FOLDER.fullmatch(each)
    ]
    for section in ("parameters", "tests"):
        if not getattr(table, section):
            wrong.append(f"{section} are none, expected at least one")
    if table.stages and "budget" in table.model_fields_set:
        wrong.append("budget: stages have budgets of their own, leave it out")
    least = fewest(len(table.parameters))
    for where, budget in [(f"stages.{k}.", each.budget) for k, each in enumerate(table.stages)] or [("", table.budget)]:
        if budget < least:
            many = counted(len(table.parameters), "parameter")
            wrong.append(f"{where}budget is {budget}, expected at least {least} points for {many}")
    tests = {test: _attempt(wrong, f"tests.{test}", _test, t, folder) for test, t in table.tests.items()}
    stages = [
        Stage(each.budget, each.seeds or table.seeds, _stage_settings(wrong, k, each, tests))
        for k, each in enumerate(table.stages)
    ] or [Stage(table.budget, table.seeds, {})]
    if wrong:  # without tests nothing can be said of parameters
        raise ValueError("\n".join(wrong))
    parameters = [
        _attempt(wrong, f"parameters.{p}", _parameter, p, settings, tests) for p, settings in table.parameters.items()
    ]
    observables = [
        _attempt(wrong, f"tests.{test}.observables.{o}", _observable, test, o, settings, folder, notes)
        for test, t in table.tests.items()
        for o, settings in t.observables.items()
    ]
    if not any(o and math.isfinite(o.measured) for o in observables) and not wrong:
        wrong.append("no observable has a measured value: there is nothing to fit")
    if wrong:
        raise ValueError("\n".join(wrong))
    wrong = [
        f"tests.{o.test}.observables.{o.name}: a parameter of the case has this name, which is a column of its own"
        for o in observables
        if o.name in _columns(o.test, tests, parameters)
    ]
    wrong += _set_twice(tests, parameters)
    if wrong:
        raise ValueError("\n".join(wrong))
    study = Study(
        name, tuple(parameters), tests, tuple(observables), tuple(stages), table.seed, table.batch, table.jobs,
        table.threads, tuple(notes),
    )  # fmt: skip
    _check_runs(study)
    return study


def fewest(parameters: int) -> int:
    """Number of points of a stage below which nothing can be fitted."""
    return parameters + 2


def _set_twice(tests: dict[str, Test], parameters: list[Parameter]) -> list[str]:
    """A line for each parameter of a case that the study sets in two ways."""
    wrong = []
    for name, test in tests.items():
        sources = dict.fromkeys(test.settings, "the settings") | ({test.seed: "the seed"} if test.seed else {})
        for parameter in parameters:
            for key in parameter.sets.get(name, ()):
                if key in sources:
                    wrong.append(f"parameters.{parameter.name}: {sources[key]} of {name} set {key} too, leave one out")
                sources[key] = f"parameters.{parameter.name}"
    return wrong


def _columns(test: str, tests: dict[str, Test], parameters: list[Parameter]) -> set[str]:
    """Names of the parameters in the table of a test."""
    return {*tests[test].settings, *(key for parameter in parameters for key in parameter.sets.get(test, ()))}


def _attempt(wrong: list[str], where: str, make: object, *given: object) -> Any:  # noqa: ANN401, what it makes
    """Result of a function, or None with a line for each error."""
    try:
        return make(*given)
    except (ValueError, OSError) as error:
        wrong.extend(f"{where}: {line}" for line in str(error).splitlines())
        return None


def _test(table: TestTable, folder: Path) -> Test:
    case = table.case
    if isinstance(case, str) and case.endswith(".toml"):
        case = str(folder / case)
    elif not isinstance(case, (str, type)) or (isinstance(case, type) and not issubclass(case, BaseCase)):
        raise ValueError(
            f"case is {shown(case)}, expected a name, the path of a case file, or a class such as dem.Case"
        )
    settings = _words(table.settings)
    made = _made(case, settings)
    if getattr(type(made), "observables", BaseCase.observables) is BaseCase.observables:
        raise ValueError(f"{made.name} has no observables, see dem.Case.observables")
    fields = getattr(type(made), "model_fields", {})
    seed = table.seed or ("seed" if "seed" in fields else None)
    if not table.observables:
        raise ValueError("observables are none, expected at least one")
    if table.seed:
        _made(case, settings | {table.seed: "1"})
    picture = table.picture and str(folder / table.picture)
    if picture and not (Path(picture).is_file() and Path(picture).suffix.lower() in PICTURES):
        raise ValueError(f"picture {picture} is no file, or none of {', '.join(PICTURES)}")
    return Test(case, settings, seed, picture)


def _made(case: str | type[AnyCase], settings: dict[str, str]) -> AnyCase:
    return choose_case(case, settings).case if isinstance(case, str) else with_text_parameters(case, settings)


def _words(settings: dict[str, Any]) -> dict[str, str]:
    """Settings as text; lists are vectors."""
    vectors = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    return {key: value[0] for key, value in parameter_words.of_values(vectors).items()}


def _stage_settings(wrong: list[str], k: int, table: StageTable, tests: dict[str, Test]) -> dict[str, dict[str, str]]:
    found = {}
    for name, settings in table.settings.items():
        where = f"stages.{k}.settings.{name}"
        if _attempt(wrong, where, checks.one_of, "test", name, tests) and tests[name]:
            found[name] = _attempt(wrong, where, _words, settings) or {}
            _attempt(wrong, where, _made, tests[name].case, tests[name].settings | found[name])
    return found


def _parameter(name: str, table: ParameterTable, tests: dict[str, Test]) -> Parameter:
    if name == "stage":
        raise ValueError("the table of points has a column of this name: call it otherwise, with set")
    given = name if table.set == [] else table.set
    sets = given if isinstance(given, dict) else dict.fromkeys(tests, given)
    for test in sets:
        checks.one_of("test", test, tests)
    sets = {test: [keys] if isinstance(keys, str) else list(keys) for test, keys in sets.items()}
    if not any(sets.values()):
        raise ValueError("it sets nothing in any test")
    unit = {_unit(tests[test], key) for test, keys in sets.items() for key in keys}
    if len(unit) > 1:
        raise ValueError(f"it sets quantities of different units: {', '.join(sorted(map(str, unit)))}")
    quantity = next((each for each in units.ALL if each.unit == next(iter(unit), "")), None)
    lower, upper = (_bound(value, quantity) for value in table.bounds)
    if not lower < upper:
        raise ValueError(f"bounds are {table.bounds[0]} and {table.bounds[1]}, expected the smaller one first")
    if table.scale == "log" and lower <= 0:
        raise ValueError(f"the lower bound is {table.bounds[0]}, expected one above 0 on a log scale")
    made = Parameter(name, lower, upper, table.scale == "log", quantity.unit if quantity else "", sets)
    if made.value(0.0) == made.value(1.0):
        raise ValueError(f"bounds are {table.bounds[0]} and {table.bounds[1]}, one value in {DIGITS} digits")
    return made


def _unit(test: Test, key: str) -> str:
    """Unit of a key; nothing of a plain number. Raises ValueError if it takes a text."""
    try:
        _made(test.case, test.settings | {key: PROBE})
    except ValueError as error:
        for line in str(error).splitlines():
            if PROBE.split()[1] in line:
                quantity = EXPECTED.search(line)
                return quantity[1] if quantity else ""
        raise
    raise ValueError(f"{key} takes a text, which has no bounds")


def _bound(value: float | str, quantity: units.Quantity | None) -> float:
    """A bound [SI]."""
    if quantity is None:
        if isinstance(value, str):
            raise ValueError(f"the bound {shown(value)} has a unit or is no number, expected a plain number")
        return float(value)
    if not isinstance(value, str):
        expected = f"{quantity.with_article}, such as {quantity.example!r}"
        raise ValueError(f"the bound {value:g} has no unit: expected {expected}")
    return quantity.value(value)


def _observable(test: str, name: str, table: ObservableTable, folder: Path, notes: list[str]) -> Observable:
    measured, error = table.measured, table.standard_error
    if table.file is not None:
        if measured is not None:
            raise ValueError("measured and file are both given, expected one of them")
        measured, se, n = read_repeats(folder / table.file, name)
        if error is None and se == 0:
            repeats = counted(n, "value")
            raise ValueError(f"{folder / table.file}: {repeats} of {name} are all the same: give a standard_error")
        if error is None and se is not None:
            notes.append(
                f"{test}: {name} has {n} repetitions: its standard error is {se:.3g}, {student_factor(n):.3g} s/√{n}"
            )
        error = se if error is None else error
    if measured is None:
        return Observable(test, name, math.nan, math.nan if error is None else error)
    if error is None:
        error = ASSUMED * abs(measured)
        if not error:
            raise ValueError("standard_error is missing, and 5 % of a measured 0 is nothing: give one")
        notes.append(f"{test}: {name} has no standard error: {100 * ASSUMED:g} % of it, {error:.3g}, is assumed")
    if not (error * error > 0 and math.isfinite(error * error) and math.isfinite(measured * measured)):
        raise ValueError(f"measured {measured:g} ± {error:g} has a square beyond the range of numbers")
    return Observable(test, name, measured, error)


def student_factor(n: int) -> float:
    """Factor of the standard error s/√n of a mean of n values, such that ± 1.96 of it is a 95 % interval.

    The factor is t(n - 1)/1.96 with the quantile 0.975 of Student's t (JCGM 100:2008, Guide to the expression of
    uncertainty in measurement, section G.3). The likelihood takes errors as normal, and s of few values is uncertain.

    Examples
    --------
    >>> [round(student_factor(n), 2) for n in (2, 3, 5, 9, 30)]
    [6.48, 2.2, 1.42, 1.18, 1.04]
    """
    special = extra_library("scipy.special")
    return float(special.stdtrit(n - 1, QUANTILE) / special.ndtri(QUANTILE))


def read_repeats(path: Path, column: str) -> tuple[float, float | None, int]:
    r"""Mean, standard error and number of values of a column of a CSV file with a row for each repetition.

    The standard error is that of `student_factor`; it is None for a single value.

    Raises
    ------
    ValueError, OSError
        If the file lacks the column, or holds anything but numbers there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "heap.csv")
    ...     _ = path.write_text("angle_deg,mass_kg\n24.0,1\n26.0,1\n25.0,1\n")
    ...     mean, error, n = read_repeats(path, "angle_deg")
    >>> mean, round(error, 3), n  # 1/√3 times 2.2
    (25.0, 1.267, 3)
    """
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets write a mark before the first name
            text = file.read()
        table = csv.DictReader(text.splitlines(), skipinitialspace=True)
        names = [name.strip() for name in table.fieldnames or ()]
        table.fieldnames = names
        rows = list(table)
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"{path} is no table of comma-separated values: export it as CSV in UTF-8") from None
    if column not in names or not rows:
        columns = ", ".join(names) or "nothing"
        hint = "; it seems to have other separators: export it with commas, and points in numbers"
        raise ValueError(
            f"{path} has no column {column} with numbers below it, expected a first line with names: it has {columns}"
            + (hint if re.search(r"[;\t]", columns) else "")
        )
    if names.count(column) > 1:
        raise ValueError(f"{path} has {names.count(column)} columns {column}, expected one")
    values = []
    for line, row in enumerate(rows, start=2):
        try:
            values.append(checks.number(column, float(row[column])))
        except (ValueError, TypeError):
            raise ValueError(f"{path}, line {line}: {shown(row[column] or '')} is no number of {column}") from None
    mean, n = math.fsum(values) / len(values), len(values)
    if n == 1:
        return mean, None, n
    error = student_factor(n) * math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return mean, error, n


def check_observables(study: Study, test: str, case: str, names: Collection[str]) -> None:
    """Raise ValueError if a case lacks an observable that the study names; a case without a list is not checked."""
    wrong = []
    for observable in study.observables:
        if names and observable.test == test:
            _attempt(wrong, f"tests.{test}.observables", checks.one_of, f"observable of {case}", observable.name, names)
    if wrong:
        raise ValueError("\n".join(wrong))


def _check_runs(study: Study) -> None:
    """Raise ValueError if a case refuses bounds of the parameters, or settings of a stage, or lacks an observable."""
    wrong = {}
    for stage in study.stages:
        for test in study.tests:
            for share in (0.0, BETWEEN, 1.0):
                point = tuple(parameter.value(share) for parameter in study.parameters)
                try:
                    case = _made(study.tests[test].case, study.settings(stage, test, point, study.seed))
                except ValueError as error:
                    wrong |= {f"tests.{test}: {line}": None for line in str(error).splitlines()}
                    continue
                try:
                    check_observables(study, test, case.name, case.observable_names)
                except ValueError as error:
                    wrong |= dict.fromkeys(str(error).splitlines())
    if wrong:
        raise ValueError("\n".join(wrong))
