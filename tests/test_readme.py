"""The README's Python example runs as it stands."""

import re
from pathlib import Path

import dem


def test_the_first_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parent.parent / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("PASS")
    with dem.Trajectory("run.h5") as run:
        assert len(run) == 101
