"""What pip installs, beside which other packages, and what uninstalling leaves behind."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from test_architecture import FILES, ROOT

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "*.h5", "made")
STUB = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "kernels-and-cases"
version = "1"
[tool.setuptools]
packages = ["kernels", "cases"]
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Copy of the checkout, for builds leave folders behind."""
    pytest.importorskip("setuptools", "77")
    return Path(shutil.copytree(ROOT, tmp_path_factory.mktemp("clone") / "pcdm-dem", ignore=LEFT_OUT))


def said(command, **given):
    """Run a command; returns what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(clone, hook, folder):
    """Path of the wheel or the sdist that pip would build."""
    return folder / said([sys.executable, "-c", BUILD, hook, folder], cwd=clone).split()[-1]


@pytest.mark.long
def test_the_wheel_claims_no_name_but_dem(clone, tmp_path):
    """Nor does it take over what an older build has left in the folder `build`."""
    stale = clone / "build" / "lib" / "kernels" / "base.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    with zipfile.ZipFile(built(clone, "build_wheel", tmp_path)) as wheel:
        names = wheel.namelist()
    assert {re.sub(r"-.*\.dist-info", "", name.split("/")[0]) for name in names} == {"dem", "pcdm_dem"}
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in names if ".py" in name}
    assert modules - {"dem.pyi"} >= {name for name in FILES if name.split(".")[0] == "dem"}
    assert {"dem/py.typed", "dem/__init__.pyi", "dem/viewer/page/viewer.html", "dem/pages/guide/start.md"} <= set(names)


@pytest.mark.long
def test_the_source_distribution_has_all_that_a_clone_has(clone, tmp_path):
    with tarfile.open(built(clone, "build_sdist", tmp_path)) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    maps = {path.with_name("README.md") for path in FILES.values()}
    assert {path.relative_to(ROOT).as_posix() for path in (*FILES.values(), *filter(Path.exists, maps))} <= names
    assert {"tests/test_install.py", "docs/guide/start.md", "pyproject.toml", "setup.py", "conftest.py"} <= names


def test_only_kernels_and_cases_are_found_beside_dem():
    """In a clone, `dem` does not make the rest of the folder importable a second time."""
    code = "import dem.kernels, dem.cases\ntry: import dem.tests\nexcept ImportError: "
    code += "print(dem.__path__, *dem.cases.__path__)"
    printed = said([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert printed.split() == [f"['{ROOT / 'dem'}']", str(ROOT / "cases")]


class Environment:
    """A fresh virtual environment that sees the dependencies of this one."""

    def __init__(self, folder):
        self.folder, self.bin = folder, folder / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.site = Path(self.run(folder, "python", "-c", code).strip())
        (self.site / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))

    def run(self, folder, command, *words):
        """Run a command in a folder; returns what it prints."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        kept["XDG_CACHE_HOME"] = str(self.folder.parent / "cache")
        return said([self.bin / command, *words], cwd=folder, env=kept)

    def pip(self, *words):
        said([sys.executable, "-m", "pip", "-q", "--python", self.bin / "python", *words])

    def install(self, *what):
        self.pip("install", "--no-index", "--no-deps", "--no-build-isolation", *what)

    def files(self):
        """All files and folders, save those in which Python keeps compiled modules."""
        return {path for path in self.folder.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.slow
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside packages called kernels and cases"])
def test_installed_anew_in_place_and_no_more(beside, clone, tmp_path):
    """It runs from any folder, its clone among them; what is uninstalled leaves nothing and takes nothing along."""
    user, empty, stub = Environment(tmp_path / "user"), tmp_path / "empty", tmp_path / "stub"
    empty.mkdir()
    if beside:
        for name in ("kernels", "cases"):
            (stub / name).mkdir(parents=True)
            (stub / name / "__init__.py").write_text("foreign = True")
        (stub / "pyproject.toml").write_text(STUB)
        user.install(stub)
    before = user.files()
    for how in ((), ("-e",)):
        user.install(*how, clone)
        home = clone if how else user.site
        for folder in (empty, clone):
            found = "import dem.kernels, dem.cases.drum; print(dem.__file__, *dem.cases.__path__)"
            own = clone if folder == clone else home  # Python looks in the folder it is started in first
            inside = () if own == clone else ("dem",)
            assert user.run(folder, "python", "-c", found).split() == [
                str(own / "dem" / "__init__.py"), str(own.joinpath(*inside, "cases"))
            ]  # fmt: skip
            verdict = user.run(folder, "dem", "run", "nine-fibres", "--duration", "0.001", "-o", tmp_path / "run.h5")
            assert "PASS: 1000 steps" in verdict
            (tmp_path / "run.h5").unlink()
        if beside:
            assert user.run(empty, "python", "-c", "import kernels, cases, dem; print(kernels.foreign)") == "True\n"
    user.pip("uninstall", "-y", "pcdm-dem")
    assert user.files() == before
    if beside:
        user.pip("uninstall", "-y", "kernels-and-cases")
        user.install(clone)
        assert user.run(empty, "python", "-c", "import dem; print(len(dem.cases()) > 30)") == "True\n"
