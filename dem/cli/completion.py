"""Completion in the shell: cases, case files, and known names."""

from __future__ import annotations

from pathlib import Path


def cases_and_files(incomplete: str) -> list[str]:
    """Cases, and case files of the working folder, with this prefix."""
    from dem.case import names  # noqa: PLC0415, only when the user presses tab

    found = [*names(), *(str(path) for path in sorted(Path.cwd().glob("*.toml")))]
    found = [Path(name).name if name.endswith(".toml") else name for name in found]
    return [name for name in found if name.startswith(incomplete)]


def case_names(incomplete: str) -> list[str]:
    """Cases with this prefix."""
    from dem.case import names  # noqa: PLC0415

    return [name for name in names() if name.startswith(incomplete)]


def studies(incomplete: str) -> list[str]:
    """Studies with this prefix."""
    from dem.validation import names  # noqa: PLC0415

    return [name for name in names() if name.startswith(incomplete)]


def integrators(incomplete: str) -> list[str]:
    """Rotational schemes with this prefix."""
    from dem.rotation.integrators import OF_SIMULATIONS  # noqa: PLC0415

    return [name for name in OF_SIMULATIONS if name.startswith(incomplete)]
