"""Progress messages say what is waited for, and how long: commands, notebooks, compilation."""

import re
import sys
import threading
from typing import NamedTuple

import pytest

from dem.base import compilation, progress
from dem.cli.application import bar
from dem.files.exports.format import Frames
from dem.plots.figure import picture


class Run(NamedTuple):
    """Two frames of particles, as far as pictures ask."""

    kind: list

    def __len__(self):
        return 2


def test_exports_that_take_long_show_how_far_they_are(monkeypatch):
    """Each walk through the frames by itself; a bar goes away when an export breaks."""
    told = []

    class Bar:
        def show(self, done, pace, left):
            told.append((done, pace, left))

        def close(self):
            told.append("closed")

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "kind_of_bar", lambda: Bar)
    frames = Frames(range(2, 10, 2))
    assert list(frames) == [2, 4, 6, 8]
    assert [each[:2] for each in told[:-1]] == [
        (0.25, "1 frame"), (0.5, "2 frames"), (0.75, "3 frames"), (1.0, "4 frames"),
    ]  # fmt: skip
    assert told.pop() == "closed"
    told.clear()
    for number in frames:
        if number == 6:
            break
    frames.close()
    assert [len(told), told[-1]] == [3, "closed"]
    assert (len(frames), frames[0], frames[:1]) == (4, 2, range(2, 4, 2))


@pytest.mark.parametrize("watched", [True, False])
def test_bars_name_what_they_are_at_and_what_is_compiled(watched, monkeypatch, tmp_path, capsys):
    """On a terminal kernels are told on the bar, elsewhere in lines as ever."""
    remembered(monkeypatch, tmp_path, drawing_scene=60.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched, raising=False)
    with bar() as shown:
        seen = []
        for name, thing in shown.each("drawing", {"energy": 1, "scene": 2}):
            compilation._told.begin("execute")
            seen += [(name, thing)] + [(task.description, task.fields["compiled"]) for task in shown.tasks]
            compilation._told.end()
        shown.say("scene.png")
    told = [task.fields["compiled"] for task in shown.tasks]
    compiled = "compiling execute" if watched else ""
    assert seen == [("energy", 1), ("drawing energy", compiled), ("scene", 2), ("drawing scene", compiled)]
    assert told == [""]
    out, err = capsys.readouterr()
    assert out == "scene.png\n"
    assert ("compiling kernels" in err) is not watched


def remembered(monkeypatch, tmp_path, **seconds):
    """Have durations kept in a folder of the test, some of them known."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, each in seconds.items():
        progress.store_duration(name.replace("_", " "), each)


def test_what_is_done_again_is_told_its_time_from_the_last_time(monkeypatch, tmp_path):
    """One after the other 3 + 5 s, side by side 5 s; one never done before counts as those that are done."""
    remembered(monkeypatch, tmp_path, drawing_a=3.0, drawing_b=5.0)
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    clock = [100.0]
    things = {name: f"drawing {name}" for name in "ab"}
    took, beside = progress.RemainingTime(things), progress.RemainingTime(things, side_by_side=2)
    more = progress.RemainingTime({**things, "c": "drawing c"})
    assert (took.left(), beside.left(), more.left()) == (8.0, 5.0, None)
    clock[0] = 101.0
    assert (took.left(), beside.left()) == (7.0, 4.0)
    clock[0] = 104.0
    for each in (took, more):
        each.end("a")
    assert (took.left(), more.left()) == (5.0, 5.0 + 4.0)
    clock[0] = 200.0
    assert took.left() == 0.0
    assert progress.last_duration("drawing a") == 4.0
    progress.durations_file().write_text("broken")
    assert progress.last_duration("drawing a") is None


@pytest.mark.parametrize("beside", [False, True])
def test_pictures_that_take_long_are_told_with_the_time_of_the_last_time(beside, monkeypatch, tmp_path):
    """In a notebook; beside the bar of a command they are silent, and what breaks is no measure for others."""
    remembered(monkeypatch, tmp_path)
    shown, looked = [], threading.Event()

    class Notebook:
        def show(self, *words):
            shown.append(words)
            looked.set()

        def close(self):
            shown.append("closed")

    @picture
    def portrait(run):
        looked.clear()  # what came before, as the end of another picture
        assert beside or looked.wait(timeout=60)
        if not run.kind:
            raise ValueError(run)

    monkeypatch.setattr(progress, "kind_of_bar", lambda: Notebook)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "TICK", 0.001)
    if beside:
        monkeypatch.setattr(sys.stderr, "rich_proxied_file", sys.stderr, raising=False)
    what = "drawing portrait 2 x 1"
    with pytest.raises(ValueError, match="Run"):
        portrait(Run(kind=[]))
    assert progress.last_duration("drawing portrait 2 x 0") is None
    portrait(Run(kind=[0]))
    assert (progress.last_duration(what) is None) is beside
    first, shown[:] = shown.copy(), []
    progress.store_duration(what, 40.0)
    portrait(Run(kind=[0]))
    if beside:
        assert (first, shown) == ([], [])
        return
    assert first[0] == (0.0, "drawing portrait", "0:00:00 so far")
    assert shown[0][1:] == ("drawing portrait", "about 0:00:40 left")
    assert shown[-2:] == [(1.0, "drawing portrait", ""), "closed"]


@pytest.mark.parametrize("kind", ["terminal", "notebook", "pipe"])
def test_what_is_compiled_is_told_with_the_time_that_is_left(kind, monkeypatch, tmp_path, capsys):
    """Where somebody watches, and wiped away when it is done; elsewhere the line alone, and nothing is remembered."""
    remembered(monkeypatch, tmp_path)
    monkeypatch.setattr(compilation, "ANEW", False)
    progress.store_duration(compilation._key("execute"), 40.0)
    below = []

    class Notebook:
        def show(self, done, pace, left):
            below.append((pace, left))

        def close(self):
            below.append("closed")

    monkeypatch.setattr(progress, "Notebook", Notebook)
    kinds = {"terminal": progress.Terminal, "notebook": Notebook, "pipe": None}
    monkeypatch.setattr(progress, "kind_of_bar", lambda: kinds[kind])
    monkeypatch.setattr(progress, "TICK", 0.001)
    looked, words = threading.Event(), progress.time_left_in_words
    monkeypatch.setattr(progress, "time_left_in_words", lambda *given: (looked.set(), words(*given))[1])
    with compilation.announced():
        for name in ("search", "execute"):
            compilation._told.begin(name)
            assert kind == "pipe" or looked.wait(timeout=60)
            compilation._told.end()
            looked.clear()
    err = capsys.readouterr().err
    behind = re.sub(r" \([^)]*(left|so far)\)\x1b\[K\x08+|\x1b\[K", "", err)
    assert re.fullmatch(rf"compiling kernels \({compilation.WHY}\): search, execute, 0\.\d s\n", behind)
    assert ("(about 0:00:40 left)" in err) is (kind == "terminal")
    if kind == "notebook":  # one line for all
        assert [below[0][0], below.count("closed")] == ["compiling search", 1]
        assert ("compiling execute", "about 0:00:40 left") in below
    else:
        assert below == []
    assert (progress.last_duration(compilation._key("execute")) < 1.0) is (kind != "pipe")


def test_a_changing_rate_tells_about_how_long():
    """A way of which the second half takes four times as long a piece as the first."""
    rate = progress._Rate()
    for k in range(1, 5001):
        rate.note(k * 0.001, k * 0.0001)
    for k in range(1, 10_001):
        rate.note(5 + k * 0.001, 0.5 + k * 0.000025)
    assert rate.left(1.0, "about") == "about 0:00:10 left"  # a quarter of the way at 0.025 a second
    rate = progress._Rate()
    rate.note(1.0, 0.0)
    assert rate.left(1.0, "about") == ""
