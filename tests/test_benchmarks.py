"""Each benchmark runs and prints one positive number, and nothing else, on stdout."""

import sys

import pytest

from benchmarks import __main__ as command


@pytest.mark.parametrize("name", ["nine_fibres", "fibres_1e3", "write_trajectory"])
def test_prints_one_number(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", name, "--share", "0.01"])
    command.main()
    captured = capsys.readouterr()
    assert float(captured.out) > 0
    assert "numba" in captured.err


def test_unknown_names_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "ten_fibres"])
    with pytest.raises(SystemExit) as stop:
        command.main()
    assert stop.value.code == 2
    assert "unknown benchmark ten_fibres: known are nine_fibres" in capsys.readouterr().err
