# ruff: noqa: E501 (texts as they stand in the files)
"""What no rule of ``rename.py`` finds, in a checkout that it has renamed: ``afterwards.py TREE``."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
WIDTH = 120
CASES = '''"""Built-in cases, one file each; `dem cases` lists them.

The package is called as the function `dem.cases` is, whose name in `dem` it takes once a case has been imported.
"""

import sys
from types import ModuleType

from dem.case import find


class _Cases(ModuleType):
    """A package that is called like the function `dem.cases`."""

    __call__ = staticmethod(find.cases)


sys.modules[__name__].__class__ = _Cases
'''
NAMES = '''

def installed_name(path):
    """Name by which the module of a file is imported: kernels and cases are installed within dem."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return f"dem.{name}" if name.split(".")[0] in ("kernels", "cases") else name


def parts_of(name):
    """House, rooms and file of a module."""
    parts = name.split(".")
    return parts[1:] if parts[0] == "dem" and parts[1:2] in (["kernels"], ["cases"]) else parts


FILES = {'''
SHADOWS = '''@pytest.mark.parametrize("first", ["", "import kernels, cases; "])
def test_packages_called_kernels_and_cases_are_in_nobodys_way(first, started):
    """Those of a user, or of the package `kernels` of the index: ours are `dem.kernels` and `dem.cases`."""
    done = started(sys.executable, "-c", first + "import dem; print(len(dem.cases()), dem.Simulation.unit)")
'''

SHORTER = [  # first lines of docstrings that would be too long
    ("dem/validation/slopes.py", "(`dem.kernels.laws.first_step`)", "(`laws.first_step`)"),
    ("kernels/walls/side_potential_terms.py", "with the places of terms.", "with places of terms."),
    (
        "kernels/soft/wall_contact/wall_prefetch.py",
        "Ask for what `dem.kernels.soft.wall_contact.wall_contacts` wants of the bodies that follow the k-th of those near "
        "walls in chunk c.",
        "Prefetch what ``wall_contacts`` reads of the bodies that follow the k-th of those near walls in chunk c.",
    ),
    (
        "kernels/soft/integration/whole_steps.py",
        "`dem.kernels.soft.integration.particle_update`",
        "``particle_update``",
    ),
    (
        "kernels/soft/contact/elastic_pairs.py",
        "place the spheres, and evaluate the candidate pairs; ``force_accumulation`` sums them by body.",
        "place the spheres, evaluate the candidate pairs; see ``force_accumulation`` for the sums.",
    ),
    (
        "kernels/soft/contact/__init__.py",
        "kinematics, evaluation, accumulation, history",
        "kinematics, evaluation, sums",
    ),
    (
        "dem/soft/engine_population.py",
        "What changes who is there, at whole steps: a `dem.soft.insertion.population.Population`, or something else that "
        "does.",
        "What changes the number of particles, at whole steps: a `Population`, or something else that does.",
    ),
    (
        "dem/ranks/c_functions.py",
        "What `dem.kernels.soft.subdomain.halo_exchange.HaloBuffers` holds of calls: one that swaps reports, if there is "
        "one, and a clock.",
        "The calls in `HaloBuffers`: one that exchanges sums, if there is one, and a clock.",
    ),
]


def replace(name: str, *pairs: tuple[str, str]) -> None:
    """Replace texts of a file, and say which of them are not there."""
    path = ROOT / name
    text = path.read_text()
    for old, new in pairs:
        if old not in text:
            print(f"{name}: not found: {old[:70]!r}")
        text = text.replace(old, new)
    path.write_text(text)


def ruff(*words: str) -> str:
    """Run ruff in the checkout."""
    command = [sys.executable, "-m", "ruff", *words, "."]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def list_packages() -> None:
    """Packages by the names by which they are installed, and where they lie."""
    folders = sorted(
        path.parent for house in ("dem", "kernels", "cases") for path in (ROOT / house).rglob("__init__.py")
    )
    names = [".".join(folder.relative_to(ROOT).parts) for folder in folders]
    names = sorted(f"dem.{name}" if name.split(".")[0] != "dem" else name for name in names)
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) + 4 > WIDTH - 4:
            lines.append("")
        lines[-1] += f'"{name}", '
    path = ROOT / "pyproject.toml"
    text = path.read_text()
    begin = text.index("packages = [")
    listed = "packages = [\n" + "".join(f"    {line.strip()}\n" for line in lines)
    text = text[:begin] + listed + text[text.index("]\n", begin) :]
    where = "# folders beside dem in the repository lie within it where it is installed"
    table = f'[tool.setuptools.package-dir]  {where}\n"dem.kernels" = "kernels"\n"dem.cases" = "cases"\n\n'
    path.write_text(text.replace("[tool.setuptools.package-data]", table + "[tool.setuptools.package-data]"))


def patch() -> None:
    """Change what names packages otherwise than by their dotted names."""
    replace(
        "dem/__init__.py",
        ("from dem.base import import_shadowing\n", ""),
        ('    import_shadowing.check("kernels")\n', ""),
        ("import importlib\n", "import importlib\nimport os\n"),
        (
            "if TYPE_CHECKING:  # the same",
            "# in a clone `dem.kernels` and `dem.cases` are the folders beside this one, installed they are in it\n"
            '__path__ += [] if os.path.isdir(os.path.join(__path__[0], "kernels")) else [os.path.dirname(__path__[0])]\n\n'
            "if TYPE_CHECKING:  # the same",
        ),
    )
    ours = '        if entry.dist is not None and entry.dist.name == "pcdm-dem":\n            import_shadowing.check("cases")\n'
    replace("dem/case/find.py", (ours, ""))
    replace(
        "dem/cli/__main__.py",
        ("from dem.base import import_shadowing\n", ""),
        ("str(import_shadowing.HERE)", "str(Path(__file__).resolve().parents[2])"),
    )
    (ROOT / "dem/base/import_shadowing.py").unlink()
    (ROOT / "cases/__init__.py").write_text(CASES)
    replace("kernels/compiler/disk_cache.py", ('OURS = "kernels."', 'OURS = "dem.kernels."'))
    replace("tests/test_pages.py", ('startswith("cases.")', 'startswith("dem.cases.")'))
    replace("docs/make/pages.py", ('.__module__.split(".")[0] == "cases"', '.__module__.startswith("dem.cases.")'))
    replace(
        "tests/test_architecture.py",
        (
            '("base",),\n        ("rotation", "laws", "box", "packing", "fluid", "walls", "bonds"),\n'
            '        ("soft", "hard"),\n        ("stochastic",),',
            '("compiler",),\n        ("numerics", "simd"),\n'
            '        ("rotation", "laws", "domain", "packing", "fluid", "walls", "bonds"),\n'
            '        ("soft", "event_driven"),\n        ("dsmc",),',
        ),
        ('("soft", "hard", "plots"),', '("soft", "event_driven", "plots"),'),
        ('("stochastic", "viewer"),', '("dsmc", "viewer"),'),
        ('path.parent.name != "base")', 'path.parent.name not in ("compiler", "numerics", "simd"))'),
        ('    if path.parent.name == "base":', '    if path.parent.name in ("compiler", "simd"):'),
        ('"base" / "jit.py"', '"compiler" / "jit.py"'),
        ('("dem", "hard"), ("dem", "stochastic")', '("dem", "event_driven"), ("dem", "dsmc")'),
        (
            '    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path\n',
            "    installed_name(path): path\n",
        ),
        ("FILES = {", NAMES),
        ('name.split(".")[0] for name in imports(path)', "parts_of(name)[0] for name in imports(path)"),
        ('    house, *rooms = name.split(".")', "    house, *rooms = parts_of(name)"),
        ('if name.startswith("dem.")]', 'if parts_of(name)[0] == "dem" and "." in name]'),
        (
            '@for_all(sorted((ROOT / "cases").rglob("*.py")))',
            '@for_all(path for path in sorted((ROOT / "cases").rglob("*.py")) if path.stem != "__init__")',
        ),
        (
            'set(named) >= {".".join(folder.relative_to(ROOT).parts) for folder in folders}',
            'set(named) >= {installed_name(folder / "__init__.py") for folder in folders}',
        ),
    )
    for name, old, new in SHORTER:
        replace(name, (old, new))
    path = ROOT / "tests/test_shadows.py"
    text = path.read_text()
    begin, end = text.index("@pytest.mark.parametrize(\n"), text.index("    assert done.stdout.split()[1:]")
    path.write_text(text[:begin] + SHADOWS + text[end:])
    subprocess.run([sys.executable, "docs/make/stub.py"], cwd=ROOT, check=True)


def in_docstring(text: str, row: int) -> str:
    """Whether a line is the "first" or a "later" one of a docstring, or neither, ""."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        long = token.type == tokenize.STRING and token.string.lstrip("rbf").startswith('"""')
        if long and token.start[0] <= row <= token.end[0]:
            return "first" if token.start[0] == row else "later"
    return ""


def wrapped(line: str, place: str) -> list[str]:
    """A line that is too long as several, after dotted names in it have been shortened to their last two words."""
    line = re.sub(r"(`*)(?:kernels|dem)(?:\.\w+)*?\.(\w+\.\w+)(`*)", r"\1\2\3", line) if place or "# " in line else line
    indent = re.match(r" *(?:# )?", line)[0]
    if len(line) <= WIDTH:
        return [line]
    if place == "first":
        told = re.match(r'^(\s*"""(?:.*?))(?:[,;:] (?:see|as) | \(see )(.+?)\)?\.("""|)$', line)
        if not told:
            print(f"to be shortened by hand: {line}")
            return [line]
        return [f"{told[1]}.", "", f"{indent}See {told[2]}.", *([f'{indent}"""'] if told[3] else [])]
    if not place and "  # " in line:
        code, comment = line.split("  # ", 1)
        return [f"{indent}# {comment}", code]
    mark = " " if place or indent.endswith("# ") else '", ' if line.lstrip().startswith("Mutant(") else ", "
    cut = line.rfind(mark, 0, WIDTH - 1) + len(mark)
    more = " " * 7 if line.lstrip().startswith("Mutant(") else ""
    return [line[:cut].rstrip(), indent + more + line[cut:]]


def wrap() -> None:
    """Sort imports, format, and wrap what is too long."""
    ruff("check", "-q", "--fix")
    ruff("format", "-q")
    for _ in range(2):
        found = [
            line.split(":")
            for line in ruff("check", "--output-format", "concise").splitlines()
            if "E501" in line and not line.startswith("tools")
        ]
        for name, row in sorted(((name, int(row)) for name, row, *_ in found), reverse=True):
            text = (ROOT / name).read_text()
            lines = text.split("\n")
            lines[row - 1 : row] = wrapped(lines[row - 1], in_docstring(text, row))
            (ROOT / name).write_text("\n".join(lines))


if __name__ == "__main__":
    list_packages()
    patch()
    wrap()
