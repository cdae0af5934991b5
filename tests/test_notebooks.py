"""Notebooks run from anywhere, and are kept without their output."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "cases" / "notebooks").glob("*.ipynb"))
PICTURES = {"falling_fibres": 5, "heap": 3, "drum": 3}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.slow
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the notebook puts its files
    (tmp_path / "elsewhere").mkdir()
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path / "elsewhere")}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    out, err = ("".join(o.text for o in outputs if o.get("name") == stream) for stream in ("stdout", "stderr"))
    assert out.startswith("PASS")
    assert re.fullmatch(r"(compiling kernels \([^\n]*\): [^\n]*, [\d.]+ s\n)*", err)
    assert sum("image/png" in output.get("data", ()) for output in outputs) == PICTURES[path.stem]
    assert not list((tmp_path / "elsewhere").iterdir())
    assert list(tmp_path.glob("*/bed.h5"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
