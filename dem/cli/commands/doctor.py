"""``dem doctor``: check the installation."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import webbrowser
from importlib import metadata
from pathlib import Path

import typer

from dem.base import cpu_info
from dem.base.text import counted
from dem.cli.application import app, plain_errors, say
from dem.cli.commands import guide
from dem.ranks.job_server import JobServer

EXTRAS = {
    "plot": ("matplotlib",), "gsd": ("gsd",), "mesh": ("trimesh",), "tables": ("pandas", "scipy", "xarray"),
    "precice": ("precice",), "docs": ("sphinx", "furo", "myst_parser"),
}  # fmt: skip
NEEDED = ("numpy", "numba", "llvmlite", "h5py", "pydantic", "typer", "rich", "pint")
BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome", "chrome", "firefox", "msedge")
SETTINGS = ("NUMBA_", "OMP_", "GOMP_", "MKL_", "OPENBLAS_", "HDF5_", "SLURM_", "PYTHONPATH", "BROWSER")
LITTLE = 2e9  # bytes of memory or disk below which doctor warns


@app.command()
@plain_errors
def doctor() -> None:
    """Check the installation: versions, threads, cache, extras, MPI, browser; a page to paste into an issue."""
    rows, wrong = [], []
    for part in (_versions, _machine, _kernels, _extras, _programs):
        found, said = part()
        rows += found
        wrong += said
    width = max(len(name) for name, _ in rows)
    say("\n".join(f"{name:{width}}  {value}" for name, value in rows))
    say("\n" + ("\n".join(f"wrong: {line}" for line in wrong) if wrong else "nothing is wrong"))
    if wrong:
        raise typer.Exit(1)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _versions() -> tuple[list, list]:
    """Lines on the program, Python and libraries."""
    found = [("pcdm-dem", f"{_version('pcdm-dem')}, in {guide.HERE}")]
    found.append(("python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"))
    versions = {name: _version(name) for name in NEEDED}
    found.append(("needs", ", ".join(f"{name} {each}" for name, each in versions.items())))
    wrong = [
        f"{name} is not installed: pip install pcdm-dem again" for name, each in versions.items() if each == "missing"
    ]
    if not metadata.entry_points(group="dem.cases"):
        wrong.append("no cases are found: the package is not installed but only on the path; pip install -e .")
    return found, wrong


def _machine() -> tuple[list, list]:
    """System, processor, memory and folder of the installation."""
    memory, free = cpu_info.memory(), shutil.disk_usage(Path.cwd()).free
    found = [
        ("system", f"{platform.platform()}"), ("processor", f"{cpu_info.processor()}, {cpu_info.cores()} cores to use"),
        ("memory", f"{memory / 1e9:.1f} GB"), ("folder", f"{Path.cwd()}, {free / 1e9:.1f} GB free"),
    ]  # fmt: skip
    told = {key: value for key, value in sorted(os.environ.items()) if key.startswith(SETTINGS)}
    found.append(("settings", ", ".join(f"{key}={value}" for key, value in told.items()) or "none"))
    wrong = []
    if free < LITTLE:
        wrong.append(f"{Path.cwd()} has {free / 1e9:.1f} GB free: runs that need more will stop there")
    try:
        with tempfile.TemporaryFile(dir=Path.cwd()):
            pass
    except OSError:
        wrong.append(f"{Path.cwd()} cannot be written to: give -o with another folder")
    return found, wrong


def _kernels() -> tuple[list, list]:
    """Lines on the compiler, its cache and the threads."""
    from dem.kernels.compiler import jit  # noqa: PLC0415, takes a moment, and may be what is wrong

    if jit.numba.config.DISABLE_JIT:
        return [("kernels", "not compiled")], ["NUMBA_DISABLE_JIT is set: everything takes a thousand times as long"]
    kept = Path(str(jit.CACHE))
    files = [path for path in kept.rglob("*") if path.is_file()] if kept.is_dir() else []
    size = sum(path.stat().st_size for path in files) / 1e6
    empty = "" if files else ": empty, first runs compile"
    found = [
        ("threads", f"{jit.most_threads()}, layer {jit.threading_layer()}"),
        ("cache", f"{kept}, {counted(len(files), 'file')}, {size:.0f} MB{empty}"),
    ]
    lost = (
        [f"{jit.REFUSED}: kernels are kept in {kept}; set NUMBA_CACHE_DIR to a folder that only you can write to"]
        if jit.REFUSED
        else []
    )
    return found, lost


def _extras() -> tuple[list, list]:
    """Optional dependencies (extras), and whether each is installed."""
    found = []
    for extra, modules in EXTRAS.items():
        there = all(importlib.util.find_spec(name) for name in modules)
        found.append((f"extra {extra}", "yes" if there else f"no: pip install 'pcdm-dem[{extra}]'"))
    return found, []


def _programs() -> tuple[list, list]:
    """Optional programs, and whether each is installed."""
    launcher = shutil.which("mpiexec") or shutil.which("mpirun")
    ranks = JobServer.current.communicator.ranks if JobServer.current else 1
    bound = f"mpi4py {_version('mpi4py')}"
    found = [
        ("MPI", f"{launcher or 'no mpiexec'}, {bound}"),
        (
            "ranks",
            "one process" if ranks == 1 else f"{ranks}: rank 0 runs the program, `import dem` returns on it alone",
        ),
        ("ffmpeg", shutil.which("ffmpeg") or "no: movies as .gif"),
    ]
    return [*found, ("browser", _browser())], []


def _browser() -> str:
    """The browser that Python opens, an installed one that it cannot open, or advice if there is none."""
    try:
        return webbrowser.get().__class__.__name__
    except webbrowser.Error:
        pass
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    if installed:
        return f"{installed}, but no display to open it on: dem view --no-open writes pages"
    return "none: dem view --no-open writes pages to be opened elsewhere"
