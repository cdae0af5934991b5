"""Structure: what may import what, and that every public name is documented."""

import ast
import gc
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from dem.kernels.compiler import jit
from rules import for_all

import dem
from dem.casefile.toml import tomllib

ROOT = Path(__file__).parent.parent


# Rooms, from the ground up: one imports from floors below its own, not from its neighbours on the same floor.
FLOORS = {
    "kernels": (
        ("compiler",),
        ("simd",),
        ("numerics",),
        ("rotation", "laws", "domain", "packing", "fluid", "walls", "bonds", "convex"),
        ("soft", "event_driven"),
        ("dsmc", "heat"),
    ),
    "dem": (
        ("base", "ranks"),
        ("model",),
        ("rotation", "statistics", "system"),
        ("files",),
        ("run",),
        ("soft", "event_driven", "plots"),
        ("dsmc", "viewer"),
        ("case",),
        ("casefile", "validation", "bench"),
        ("sweeps",),
        ("calibration",),
        ("cli",),
    ),
}
HOUSES = ("kernels", "dem", "cases", "benchmarks")  # each imports from itself and those before it
USERS = ("validation", "bench")  # rooms that use the engine as a script does, by the public names of `dem`


def installed_name(path):
    """Name by which the module of a file is imported: kernels and cases are installed within dem."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return f"dem.{name}" if name.split(".")[0] in ("kernels", "cases") else name


def parts_of(name):
    """House, rooms and file of a module."""
    parts = name.split(".")
    return parts[1:] if parts[0] == "dem" and parts[1:2] in (["kernels"], ["cases"]) else parts


FILES = {installed_name(path): path for house in HOUSES for path in sorted((ROOT / house).rglob("*.py"))}


def nodes_under(tree):
    """The nodes of a syntax tree that have fields: quicker than `ast.walk`, and without contexts and operators."""
    nodes = [tree]
    for node in nodes:  # which grows meanwhile
        for value in node.__dict__.values():
            if type(value) is list:
                nodes += [one for one in value if isinstance(one, ast.AST) and one._fields]
            elif isinstance(value, ast.AST) and value._fields:
                nodes.append(value)
    return nodes


@cache
def nodes_of(path):
    """All of a file's syntax tree, which the garbage collector leaves alone: there are a million nodes."""
    gc.disable()
    nodes = nodes_under(ast.parse(path.read_text()))
    gc.freeze()
    gc.enable()
    return nodes


def import_statements(path):
    """Import statements of a file, at its top, in functions, or for type checkers only."""
    if path in FILES.values():
        return [node for node in nodes_of(path) if isinstance(node, ast.Import | ast.ImportFrom)]
    found, blocks = [], [ast.parse(path.read_text())]  # statements alone: expressions are most of a tree
    for block in blocks:
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            for node in getattr(block, part, ()):
                (found if isinstance(node, ast.Import | ast.ImportFrom) else blocks).append(node)
    return found


@cache
def imports(path):
    """Names of the modules that a file imports, at its top, in functions, or for type checkers only."""
    return list(imported_by(import_statements(path)))


def imported_by(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module


def tops(path):
    return {parts_of(name)[0] for name in imports(path)}


def room_of(name):
    """House and room of a module; a house without floors is one room."""
    house, *rooms = parts_of(name)
    return house, rooms[0] if rooms and house in FLOORS else ""


def floor_of(name):
    """House and floor of a module; the house itself is above all its rooms."""
    house, room = room_of(name)
    floors = FLOORS.get(house, ())
    return HOUSES.index(house), next((k for k, floor in enumerate(floors) if room in floor), len(floors))


@pytest.mark.parametrize("house", FLOORS)
def test_every_room_is_on_a_floor(house):
    rooms = {path.parent.name for path in (ROOT / house).glob("*/__init__.py")}
    assert rooms == {room for floor in FLOORS[house] for room in floor}
    assert {path.name for path in (ROOT / house).glob("*.py")} - {"__main__.py"} == {"__init__.py"}


PACKAGES = [name for name, path in FILES.items() if path.name == "__init__.py" and name not in ("dem", "benchmarks")]


@for_all(PACKAGES)
def test_a_package_names_all_its_modules(name):
    """In its docstring or README, unless the package imports them, as a registry does, or has a file for each case."""
    inner = {other.rpartition(".")[2] for other in FILES if other.rpartition(".")[0] == name} - {"__main__"}
    readme = "".join(path.read_text() for path in FILES[name].parent.glob("README.md"))
    words = readme + (ast.get_docstring(ast.parse(FILES[name].read_text())) or "")
    imported = {part for other in imports(FILES[name]) for part in other.removeprefix(name).split(".")}
    missing = inner - set(re.findall(r"\w+", words)) - imported
    assert name == "dem.cli.commands" or name.startswith("dem.cases") or not missing, sorted(missing)


@for_all(FILES)
def test_no_import_runs_up(name):
    for other in {other for other in imports(FILES[name]) if other in FILES}:
        if other != "dem" or room_of(name)[1] not in USERS:
            assert room_of(other) == room_of(name) or floor_of(other) < floor_of(name), f"{name} imports {other}"


@for_all(name for name in FILES if room_of(name)[1] in USERS)
def test_studies_and_benchmarks_take_public_names_from_dem(name):
    public = set(dem.HOMES.items())
    for node in (node for node in nodes_of(FILES[name]) if isinstance(node, ast.ImportFrom)):
        assert not [alias.name for alias in node.names if (alias.name, node.module) in public]


@cache
def bound(path):
    """Names that a module defines or imports, and those that `dem` imports when they are asked for."""
    names = set(dem.HOMES) if path == FILES["dem"] else set()
    for node in nodes_of(path):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.alias():
                names.add(node.asname or node.name.partition(".")[0])
    return names


@for_all([*FILES.values(), *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "docs").rglob("*.py"))])
def test_what_is_imported_of_ours_exists(path):
    """Also where the import is in a function, or for type checkers only."""
    for node in (node for node in import_statements(path) if isinstance(node, ast.ImportFrom)):
        if node.module.split(".")[0] in ("dem", "benchmarks"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                assert inner in FILES or alias.name in bound(FILES[node.module]), inner


def test_no_imports_go_in_circles():
    """A package stands for its `__init__.py`; that importing a module runs those of its packages does not count.

    Nor do names that type checkers alone import within a room: a part of an engine may say that it is handed one.
    """
    left = {name: {other for other in imports(path) if other in FILES} for name, path in FILES.items()}
    for name, path in FILES.items():
        blocks = [
            node for node in nodes_of(path) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        of_types = {other for block in blocks for other in imported_by(ast.walk(block))}
        left[name] -= {other for other in of_types if room_of(other) == room_of(name)}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    assert not left


@cache
def classes():
    """Bases of each of our classes, by module and name."""
    found = {}
    for name in (name for name in FILES if parts_of(name)[0] == "dem"):
        own = [node for node in nodes_of(FILES[name]) if isinstance(node, ast.ClassDef)]
        found |= {(name, node.name): [ast.unparse(base).partition("[")[0] for base in node.bases] for node in own}
    return found


def meant(module, base):
    """Module and name of the class that a word for a base means; None if it is none of ours."""
    if (module, base) in classes():
        return module, base
    first, _, rest = base.partition(".")
    for node in nodes_of(FILES[module]):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if (alias.asname or alias.name) == first:
                key = (f"{node.module}.{alias.name}", rest) if rest else (node.module, alias.name)
                return key if key in classes() else None
    return None


def levels(module, name):
    """Number of our own classes in the longest chain of bases that ends in a class."""
    bases = [meant(module, base) for base in classes()[module, name]]
    return 1 + max((levels(*base) for base in bases if base), default=0)


def test_no_chain_of_classes_is_deeper_than_two_levels():
    """A base and a concrete class: behaviour is composed of parts that a class owns."""
    deepest = {}
    for module, name in classes():
        room = ".".join(module.split(".")[:2])
        deepest[room] = max(deepest.get(room, 0), levels(module, name))
    assert not {(room, depth) for room, depth in deepest.items() if depth > 2}


def test_the_parts_of_an_engine_have_no_bases():
    """Features of an engine are parts that it owns, and so are those of a subdomain and of a simulation."""
    for module, name in (
        ("dem.soft.engine", "Engine"), ("dem.soft.subdomain.subdomain", "Subdomain"),
        ("dem.soft.subdomain.engine_subdomains", "EngineSubdomains"), ("dem.soft.walls.engine_walls", "EngineWalls"),
        ("dem.soft.neighbour_lists", "EngineLists"), ("dem.soft.bonds.engine_bonds", "EngineBonds"),
        ("dem.soft.fluid.fluid_setup", "EngineFluid"), ("dem.system.energy_ledger", "EnergyLedger"),
    ):  # fmt: skip
        assert not classes()[module, name], name


def looking_into(path):
    """Lines of a file that take the engine of a simulation, as an attribute or by its name."""
    for node in nodes_of(path):
        if (isinstance(node, ast.Attribute) and node.attr == "_engine") or (
            isinstance(node, ast.Constant) and node.value == "_engine"
        ):
            yield node.lineno


def test_only_the_rooms_of_the_engines_look_into_them():
    """Others ask simulations; tests may look, and what times the parts of a step."""
    looking = {name for name, path in FILES.items() if any(looking_into(path))} - {
        "dem.kernels.compiler.stages",  # numba's
        "dem.run.simulation_base",  # the base of the simulations that own them
        "dem.bench.timing",
    }
    assert {room_of(name) for name in looking} == {("dem", "soft"), ("dem", "event_driven"), ("dem", "dsmc")}, looking


def test_nobody_asks_of_which_kind_a_system_is():
    """What a system can do is declared in `System`; how cases and files make one is another matter."""
    kinds = {"Simulation", "HardSpheres", "StochasticSpheres"}
    for name, path in FILES.items():
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                words = {word.id for argument in node.args for word in ast.walk(argument) if isinstance(word, ast.Name)}
                asked = node.func.id in ("isinstance", "issubclass") and kinds & words
                asked = asked or (node.func.id == "hasattr" and "sim" in words)
                asked = asked or (node.func.id == "getattr" and "sim" in words and len(node.args) == 3)
                assert not asked, f"{name}, line {node.lineno}"


@for_all(
    path
    for path in sorted((ROOT / "kernels").rglob("*.py"))
    if path.parent.name not in ("compiler", "numerics", "simd")
)
def test_no_index_of_a_kernel_counts_from_the_end(path):
    """They are compiled without the question whether they do; the folders left out index Python's own sequences."""
    last = [node for node in nodes_of(path) if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp)]
    assert not [ast.unparse(node) for node in last if isinstance(node.slice.op, ast.USub)]


@for_all(sorted((ROOT / "kernels").rglob("*.py")))
def test_kernels_import_only_numba_and_themselves(path):
    allowed = {"collections", "math", "operator", "typing", "numpy", "numba", "kernels"}
    if path.parent.name in (
        "compiler",
        "simd",
    ):  # the compiler and its cache: the standard library, and what numba is made of
        allowed |= {"llvmlite", "platformdirs", *sys.stdlib_module_names}
    assert tops(path) <= allowed


@for_all(path for path in sorted((ROOT / "kernels").rglob("*.py")) if path.parent.name not in ("compiler", "simd"))
def test_only_the_compiler_and_simd_import_what_numba_does_not_document(path):
    """All other kernels stay as they are when numba changes inside."""
    assert {name for name in imports(path) if name.startswith("numba")} <= {"numba", "numba.extending"}


@for_all(sorted((ROOT / "dem").rglob("*.py")))
def test_dem_does_not_import_numba(path):
    assert "numba" not in tops(path)


@for_all(path for path in sorted((ROOT / "cases").rglob("*.py")) if path.stem != "__init__")
def test_cases_need_nothing_but_public_names(path):
    """As those of other packages do."""
    assert not {"numba", "kernels"} & tops(path)
    assert not [name for name in imports(path) if parts_of(name)[0] == "dem" and "." in name]
    assert set(re.findall(r"\bdem\.(\w+)", path.read_text())) <= {*dem.__all__, "cases"}


UNLIKE = {  # what has other last bits on other processors, see `dem.base.portable`
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "power",
        "float_power",
        "cbrt",
        "tan",
        "arcsin",
        "arccos",
    ),
    *("arctan", "arctan2", "sinh", "cosh", "tanh", "geomspace", "logspace", "dot", "vdot", "inner", "matmul", "eig"),
    *("eigh", "eigvals", "eigvalsh", "svd", "solve", "inv", "lstsq", "det", "leggauss"),
}
# rooms whose numbers no run goes on with; those that a calibration chooses are rounded, and kept in a file
LOOKS_ONLY = ("plots", "viewer", "validation", "bench", "statistics", "calibration")
EXEMPT = {
    "cases/coupled_cylinders.py": "a closed form", "cases/symmetric_top.py": "a closed form",
    "cases/torque_sphere.py": "a closed form", "dem/case/settled.py": "a threshold",
    "dem/files/exports/walls_vtkhdf.py": "a picture", "dem/files/validation/input_validation.py": "whole numbers",
    "dem/files/checkpoints/serialization.py": "whole numbers", "dem/model/fluid/flows.py": "a check",
    "dem/model/particles/random_insertion.py": "a check",
    "dem/model/shapes/convex.py": "a picture", "dem/model/walls/surfaces.py": "a tolerance",
    "dem/model/walls/wall_triangles.py": "a picture",
    "dem/model/walls/welding.py": "an order, by a tolerance", "dem/rotation/study.py": "an error, as an angle",
    "dem/run/replay.py": "a message",
    "dem/soft/time_step/adhesion.py": "advice, of two digits", "dem/soft/fluid/two_way_coupling.py": "a warning",
    "dem/soft/bonds/bond_setup.py": "a warning", "dem/soft/time_step/impacts.py": "advice, of two digits",
    "dem/soft/bonds/engine_bonds.py": "advice, of two digits",
    "dem/soft/walls/mesh_scale_check.py": "a warning", "dem/soft/run_errors.py": "a message",
    "dem/soft/time_step/standing_contacts.py": "advice, of two digits",
    "dem/dsmc/advice.py": "a warning", "kernels/laws/jkr.py": "compiled, by the C library",
}  # fmt: skip


def unlike(path):
    """What a file computes by code that numpy or BLAS choose by the processor."""
    for node in nodes_of(path):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield ast.unparse(node)
        elif isinstance(node, ast.Attribute) and node.attr in UNLIKE and ast.unparse(node).startswith("np."):
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "np.linalg.norm":
            if not any(word.arg == "axis" for word in node.keywords):
                yield ast.unparse(node)


@for_all(
    path
    for house in ("dem", "kernels", "cases")
    for path in sorted((ROOT / house).rglob("*.py"))
    if path.relative_to(ROOT).parts[1] not in LOOKS_ONLY
)
def test_no_result_is_computed_by_code_that_depends_on_the_processor(path):
    """Sums, products, quotients and roots have the same bits everywhere; for others there is `dem.base.portable`."""
    found = list(unlike(path))
    assert bool(found) == (path.relative_to(ROOT).as_posix() in EXEMPT), found


def test_public_names_are_listed():
    assert set(dem.__all__) <= set(dir(dem))


def test_how_files_of_hdf5_begin_is_written_once():
    assert [name for name, path in FILES.items() if "x89HDF" in path.read_text()] == [
        "dem.files.writing.output_settings"
    ]


def test_a_public_name_that_there_is_not():
    with pytest.raises(AttributeError, match="module 'dem' has no attribute 'Simulations'"):
        dem.Simulations  # noqa: B018


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import dem", {"numpy", "numba", "h5py", "pydantic"}),
        (
            "from dem.cli.application import app; app(['--help'])",
            {"numpy", "numba", "h5py", "pydantic", "rich.console", "importlib.metadata"},
        ),
        ("from dem.cli.application import app; app(['run', '--help'])", {"numba", "h5py", "matplotlib"}),
        ("from dem.cli.application import app; app(['cases'])", {"numba", "h5py"}),
        ("import dem; dem.Trajectory, dem.statistics", {"numba", "pydantic", "rich.console"}),
        ("import dem; dem.Simulation", {"pydantic", "rich.console", "scipy.linalg"}),
    ],
)
def test_nothing_is_imported_that_is_not_needed(code, unwanted):
    script = f"import sys, atexit; atexit.register(lambda: print({unwanted} & set(sys.modules))); {code}"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "set()"


def test_every_public_name_is_documented():
    for name in dem.__all__:
        thing = getattr(dem, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and inspect.isfunction(value) and value.__module__.startswith("dem"):
                    assert value.__doc__, f"{name}.{member}"


def public_functions():
    for module in (dem, dem.statistics, dem.plots):
        yield from filter(inspect.isfunction, (getattr(module, name) for name in module.__all__))


def described(thing, section):
    """Names of the entries of a section of a docstring."""
    title = f"\n{section}\n{'-' * len(section)}\n"
    body = re.split(r"\n\n(?=[A-Z]\w+\n-{3})", inspect.getdoc(thing).partition(title)[2])[0]
    entries = [line.partition(" : ")[0] for line in body.splitlines() if line[:1] not in ("", " ")]
    return [name.lstrip("*") for entry in entries for name in entry.split(", ")]


def public_classes():
    for module in (dem, dem.statistics, dem.plots):
        things = (getattr(module, name) for name in module.__all__)
        yield from (one for one in things if inspect.isclass(one) and one not in (dem.DemWarning, dem.Shape))


@for_all(public_classes, lambda kind: kind.__qualname__)
def test_public_classes_say_what_they_take_or_hold(kind):
    """Each argument is described under Parameters, or, of records that the engine makes, under Attributes."""
    needed = {name for name in inspect.signature(kind).parameters if name[0] != "_" and name != "type"}
    told = described(kind, "Parameters")
    if "..." in told:  # what every wall has stands at one of them
        told += described(dem.Cylinder, "Parameters")
        needed |= set(told)
    else:
        told += described(kind, "Attributes")
    assert needed <= set(told), sorted(needed - set(told))
    assert set(described(kind, "Parameters")) - {"..."} <= needed


@for_all(public_functions, lambda function: function.__qualname__)
def test_public_functions_say_what_they_take_and_return_by_example(function):
    """Examples are run, as all that stand in `dem`."""
    told, signature = inspect.getdoc(function), inspect.signature(function)
    assert "\nExamples\n--------\n>>> " in told
    assert ("\nReturns\n-------\n" in told) == (signature.return_annotation != "None")
    body = told.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    entries = [entry.partition(" : ")[0] for entry in body.splitlines() if entry[:1] != " "]
    assert [argument for entry in entries for argument in entry.split(", ")] == list(signature.parameters)


SIGNATURES = """
import dem
from dem.kernels.soft.integration import time_loop as advance
dem.cases()["many-fibres"](n=30).simulation().run(0.005)
for kinds in advance.execute.found:
    print("SIGNATURE", [getattr(kind, "kind", kind) for kind in kinds])
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")
def test_every_kernel_is_compiled_for_one_kind_of_array():
    """A second signature would mean that an array of another type or layout slipped through, at the cost of speed."""
    done = subprocess.run([sys.executable, "-c", SIGNATURES], capture_output=True, text=True, check=True)
    (signature,) = done.stdout.split("SIGNATURE ")[1:]
    assert "array(float64, 2d, C)" in signature
    assert not any(odd in signature for odd in ("readonly", ", A)", "float32"))


CODE_OF_LOOPS = """
import dem
from dem.kernels.soft.contact import elastic_pairs as contact
from dem.kernels.soft.integration import particle_update as motion
sim = dem.cases()["nine-fibres"]().simulation()
for loop in (motion.drift, motion.predict_orientations, motion.kick, motion.correct_rotations, contact.evaluate_pairs):
    for compiled in loop.dispatcher.overloads.values():
        print("LOOP", loop.__name__, compiled.library.get_llvm_str())
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")
@pytest.mark.skipif(bool(jit.numba.config.BOUNDSCHECK), reason="bounds checks keep loops scalar")
def test_the_hot_loops_are_vectorised(tmp_path):
    """Vectors in the optimised code of each loop, which is inlined as it is; the no-alias hint makes it so.

    A pass of those loops whose operations wait for each other computes two vectors.
    """
    # What is cached is machine code of the whole; of several threads some compile in processes of their own.
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE_OF_LOOPS]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    loops = said.split("LOOP ")[1:]
    assert {loop.split()[0] for loop in loops} == {
        "drift",
        "predict_orientations",
        "kick",
        "correct_rotations",
        "evaluate_pairs",
    }
    for loop in loops:
        assert re.search(r"fmul .*<\d+ x double>", loop), loop.split()[0]
        bodies = max(int(number) for number in re.findall(r"%index\.next\d* = add nuw i64 %index\d*, (\d+)", loop))
        width = max(int(number) for number in re.findall(r"fmul .*<(\d+) x double>", loop))
        if loop.split()[0] in ("predict_orientations", "kick", "correct_rotations"):
            assert bodies == 2 * width, loop.split()[0]


def test_an_edit_in_any_kernel_file_means_a_new_cache(monkeypatch, tmp_path):
    """numba does not see edits in imported files; the fingerprint must."""
    source = tmp_path / "kernels"
    (source / "rotation").mkdir(parents=True)
    (source / "rotation" / "pcdm.py").write_text("a = 1\n")
    monkeypatch.setattr(jit, "__file__", str(source / "compiler" / "jit.py"))
    before = jit._fingerprint()
    (source / "rotation" / "pcdm.py").write_text("a = 2\n")
    assert jit._fingerprint() != before
    monkeypatch.setattr(jit, "OPTIONS", {"fastmath": True})
    assert jit._fingerprint() != before


def test_the_cache_lies_outside_of_the_package(monkeypatch, tmp_path):
    """So that uninstalling leaves nothing behind."""
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(jit.private_folder, "user_cache", lambda: tmp_path / "pcdm-dem")
    folder, _, refused = jit._cache_folder()
    assert (folder.parent, refused) == (tmp_path / "pcdm-dem", "")
    assert re.fullmatch(rf"kernels-[0-9a-f]+-{jit.FINGERPRINT}-[0-9a-f]+", folder.name)


def test_the_wheel_has_every_room():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {path.parent for room in ("dem", "kernels", "cases") for path in (ROOT / room).rglob("__init__.py")}
    assert set(named) >= {installed_name(folder / "__init__.py") for folder in folders}
