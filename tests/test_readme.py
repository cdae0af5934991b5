"""The README's Python examples run as they stand, one after the other."""

import re
from pathlib import Path

import dem


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parent.parent / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    exec(compile("".join(examples), "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("PASS")
    with dem.Trajectory("run.h5") as run:
        assert len(run) == 101
