"""What pytest collects: examples of docstrings, but for those of modules that lack an extra; tests by their marks."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def ignored():
    """The function of the repository's conftest.py by which pytest leaves out files."""
    spec = importlib.util.spec_from_file_location("conftest_of_the_repository", ROOT / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pytest_ignore_collect


@pytest.mark.parametrize("there", ["", "raise RuntimeError('no library')"], ids=["no mpi4py", "no library"])
def test_the_ranks_of_mpi_are_left_out_where_they_cannot_be_imported(ignored, there, tmp_path, monkeypatch):
    """And nothing else; pytest asks the function of each file that it finds, by its path."""
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").touch()
    if there:
        (tmp_path / "mpi4py" / "MPI.py").write_text(there)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "mpi4py"]:
        monkeypatch.delitem(sys.modules, name)
    paths = sorted((ROOT / "dem").rglob("*.py"))
    assert [path for path in paths if ignored(path)] == [ROOT / "dem" / "ranks" / "mpi.py"]


def test_a_clone_in_a_folder_called_slow_skips_no_other_tests(request):
    """For pytest, names of the folders above a test are keywords of it, as its marks are."""
    conftest = request.config.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    request.node.keywords["slow"] = True
    conftest.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _: False), [request.node])
    assert not request.node.get_closest_marker("skip")
