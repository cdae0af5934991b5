"""The README's Python examples run as they stand, each on its own, and show what they speak of."""

import re
from pathlib import Path

import dem


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parent.parent / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    names = [{} for _ in examples]
    for example, own in zip(examples, names, strict=True):
        exec(compile(example, "README.md", "exec"), own)
    assert capsys.readouterr().out.startswith("PASS")
    with dem.Trajectory("run.h5") as run:
        assert len(run) == 101
    shaken = names[1]["bed"].energy()
    assert min(shaken.translational, shaken.rotational, shaken.gravitational, shaken.dissipated, shaken.work) > 0
