"""Interruption of a run by another thread or a signal."""

import copy
import os
import signal
import sys
import threading

import pytest
from typer.testing import CliRunner

import dem
from dem.base import interrupts
from dem.cli.application import app
from dem.files.exports import FORMATS

STONE = dem.Material(young=5e7, poisson=0.35)


def falling():
    ball = dem.Particles(dem.Sphere(diameter=0.01), STONE, position=[[0, 0, 0]])
    return dem.Simulation(ball, time_step=1e-5, threads=1)


def bouncing():
    balls = dem.Particles(dem.Sphere(diameter=0.01), STONE, position=[[0.05, 0.05, 0.02], [0.05, 0.05, 0.05]])
    return dem.HardSpheres(balls, dem.Box((0, 0, 0), (0.1, 0.1, 0.1), STONE))


@pytest.mark.parametrize(
    ("make", "moves"),
    [
        (falling, (lambda sim: sim.step(10), lambda sim: sim.carry_on(1e-4))),
        (bouncing, (lambda sim: sim.collide(10), lambda sim: sim.carry_on(1e-4))),
    ],
)
def test_a_second_thread_is_refused(make, moves, tmp_path, monkeypatch):
    """While the first one moves the simulation; the file of a run is not even begun."""
    sim, inside, go_on = make(), threading.Event(), threading.Event()
    advance = sim._engine.advance

    def held(*args):
        inside.set()
        assert go_on.wait(30)
        return advance(*args)

    monkeypatch.setattr(sim._engine, "advance", held)
    first = threading.Thread(target=sim.run, args=(1e-3,), kwargs={"frames": 1})
    first.start()
    assert inside.wait(30)
    for move in (*moves, lambda sim: sim.run(1e-3, output=tmp_path / "run.h5")):
        with pytest.raises(RuntimeError, match="another thread is moving this simulation"):
            move(sim)
    go_on.set()
    first.join()
    assert list(tmp_path.iterdir()) == []
    assert sim.time == pytest.approx(1e-3)
    sim.carry_on(1e-3)
    assert sim.time == pytest.approx(2e-3)


@pytest.mark.slow
def test_no_step_is_lost_between_threads():
    """Two threads in a race: as many steps as were not refused."""
    sim, taken = falling(), []

    def go():
        for _ in range(2000):
            try:
                sim.step()
            except RuntimeError:
                continue
            taken.append(1)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=go) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sim.step_count == len(taken)


def test_a_copy_of_a_simulation_has_a_turn_of_its_own():
    sim = falling()
    with sim._lock:
        copy.deepcopy(sim._lock).__enter__()
        thread = threading.Thread(target=copy.copy(sim._lock).__enter__)
        thread.start()
        thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_half_written(number, tmp_path, monkeypatch):
    """Exports take the place of a file when they are complete; a signal in between is no other way out."""
    path = tmp_path / "run.h5"
    falling().run(1e-3, output=path, frames=2)

    def write(run, partial, frames, fields):
        partial.write_text("half of it")
        assert signal.getsignal(number) is not signal.SIG_DFL  # which would end these tests
        os.kill(os.getpid(), number)
        signal.pause()

    monkeypatch.setitem(FORMATS, "csv", FORMATS["csv"]._replace(write=write))
    before = signal.getsignal(number)
    result = CliRunner().invoke(app, ["export", str(path), "--to", "csv", "-o", str(tmp_path / "run.csv")])
    assert (result.exit_code, result.stderr) == (128 + number, "interrupted\n")
    assert [left.name for left in tmp_path.iterdir()] == ["run.h5"]
    assert signal.getsignal(number) is before


def test_who_is_not_to_hear_of_a_hangup_does_not(monkeypatch):
    """``nohup`` has it ignored: so it stays."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts.handling(lambda *_: None):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
