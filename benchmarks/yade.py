"""Find and run YADE: the program `yade`, or the one named by the environment variable YADE.

Scripts for YADE's own Python read a state, take the steps, and write the time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np


def program() -> str:
    """Path of YADE; raises ValueError if there is none."""
    found = shutil.which(os.environ.get("YADE", "yade"))
    if not found:
        message = "YADE is not installed: apt install yade, or put its path into the environment variable YADE"
        raise ValueError(message)
    return found


def run(script: str, state: dict[str, np.ndarray | float]) -> dict[str, np.ndarray]:
    """What a script beside this module writes when it is given a state, on one core; raises ValueError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "state.npz", Path(folder) / "end.npz"
        np.savez(before, **state)
        command = [program(), "-n", "-x", "-j", "1", str(Path(__file__).with_name(script)), str(before), str(after)]
        others = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=others)
        if not after.exists():
            message = f"YADE failed: {(done.stdout + done.stderr).strip()[-2000:]}"
            raise ValueError(message)
        with np.load(after) as end:
            return dict(end)
