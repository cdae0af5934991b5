"""`dem view`: the page holds the run to 16 bits, loads nothing else, and escapes names."""

import base64
import itertools
import json
import re
import shutil
import socket
import threading
import urllib.error
import urllib.request
import zlib
from io import BytesIO
from pathlib import Path

import browser
import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.viewer import live
from dem.viewer.page import ABSENT, frame_bytes, quantised, rods


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Two fibres and two balls in a periodic box beside a turning mesh, seven frames, with contacts."""
    path = tmp_path_factory.mktemp("recorded") / "run.h5"
    nylon = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.7)
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)
    fibres = dem.Particles(fibre, nylon, position=[[0.02, 0.05, 0.03], [0.08, 0.05, 0.03]],
                           velocity=[[-1, 0, 0], [0, 0, 1]], angular_velocity=[[0, 50, 0], [20, 0, 0]])  # fmt: skip
    balls = dem.Particles(dem.Sphere(diameter=0.02), nylon, position=[[0.05, 0.05, 0.05], [0.05, 0.05, 0.0695]])
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), nylon, periodic=["x"])
    blades = dem.Mesh.blades(0.004, 0.02, count=2, material=nylon, motion=dem.Motion(rate=10.0))
    sim = dem.Simulation(dem.Particles.concatenate([fibres, balls]), box, walls=[blades], time_step=2e-5)
    sim.run(0.0012, output=path, frames=6, contacts=True)
    return path


@pytest.fixture
def made(recorded, tmp_path, monkeypatch):
    """A copy of it, in the working folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(recorded, tmp_path))


def parts(text):
    """What a page was given: the constant part and its blocks."""
    return [json.loads(re.search(rf'id="{name}">(.*?)</script>', text, re.DOTALL)[1]) for name in ("what", "blocks")]


def unpacked(what, block):
    """The fields of a block, read back as the page does."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(block["data"])), np.uint8).reshape(2, -1)
    numbers = raw[0].astype(np.uint16) | (raw[1].astype(np.uint16) << 8)
    found, first = {}, 0
    for name, width in block["fields"]:
        steps = numbers[first : first + block["frames"] * width].reshape(block["frames"], width)
        found[name], first = np.cumsum(steps, axis=0, dtype=np.uint16), first + block["frames"] * width
    assert first == len(numbers)
    return found


def test_the_page_holds_the_run_to_sixteen_bits(made):
    what, given = parts(dem.view(made).html)
    with dem.Trajectory(made) as run:
        assert [k for block in given for k in block["number"]] == list(range(7))
        for block in given:
            got = unpacked(what, block)
            for row, k in enumerate(block["number"]):
                lower, upper = np.array(block["lower"]), np.array(block["upper"])
                place = lower + got["position"][row].reshape(-1, 3) * (upper - lower) / 65534
                folded = run.position[k] % np.where(np.arange(3) == 0, 0.1, np.inf)
                # half a unit of the last place
                np.testing.assert_allclose(place, folded, atol=0.51 * (upper - lower).max() / 65534)
                speed = got["speed"][row] * block["scales"]["speed"] / 65535
                np.testing.assert_allclose(
                    speed, np.linalg.norm(run.velocity[k], axis=1), atol=0.51 * block["scales"]["speed"] / 65535
                )
                q = (got["orientation"][row].reshape(-1, 4) - 32768.0) / 32767
                np.testing.assert_allclose(q, run.orientation[k][:2], atol=0.51 / 32767)
                assert block["energy"]["total"][row] == run.energy["total"][k]
    # each of the two balls that touch feels what the other does, and nobody else anything
    force = unpacked(what, given[0])["force"][0] * given[0]["scales"]["force"] / 65535
    assert force[2] == force[3] > 0
    assert not force[:2].any()


@pytest.fixture
def torn(tmp_path):
    """Two bonds of three balls, one of which tears, and one to a place."""
    clay = dem.Material(young=5e6, poisson=0.35, density=1100.0)
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), clay, position=[[0, 0, 0], [0.02, 0, 0], [0.04, 0, 0]],
        velocity=[[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    )  # fmt: skip
    strength = [np.inf, 1e3, np.inf]  # [Pa]: the second cannot hold the ball that flies off
    bonds = dem.Bonds([[0, 1], [1, 2], [0, -1]], diameter=0.004, young=5e6, poisson=0.35, strength=strength,
                      ground=[[-0.02, 0, 0]])  # fmt: skip
    sim = dem.Simulation(balls, bonds=bonds, gravity=(0, 0, 0), time_step=1e-6)
    sim.run(1e-4, output=tmp_path / "torn.h5", frames=5)
    return tmp_path / "torn.h5"


def test_bonds_are_there_until_they_break(made, torn):
    with dem.Trajectory(made) as run:
        assert rods(run) == []
    with dem.Trajectory(torn) as run:
        drawn = rods(run)
        end = run.time[run.bonds.broken[:, 1].argmax()]
        assert end > 0
        assert [(rod.body, rod.other, rod.breaks) for rod in drawn] == [(0, 1, None), (1, 2, end), (0, -1, None)]
        assert drawn[2].end == [-0.02, 0.0, 0.0]
        assert drawn[0].radius == 0.002


def test_who_is_not_there_or_far_away_is_not_shown():
    lower, upper = np.zeros(3), np.ones(3)
    places = np.array([[0.5, 0.5, 0.5], [np.nan] * 3, [0.5, 0.5, 2.0]])
    assert (quantised(places, lower, upper) == ABSENT).all(axis=1).tolist() == [False, True, True]


def test_the_page_needs_and_fetches_nothing(made):
    text = dem.view(made).html
    outside = re.compile(r"""https?:|//cdn|\bsrc=|@import|url\(|\bimport\(|XMLHttp|WebSocket|fetch\(""")
    script = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    assert not outside.search(script)
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text


def test_names_in_a_file_are_text(made):
    nasty = "</script><script>alert(1)</script>.h5"
    made.rename(made.parent / "bad.h5")
    with dem.Trajectory(made.parent / "bad.h5") as run:
        run.path = run.path.with_name("x").parent / nasty.replace("/", "_")
        text = dem.view(run).html
    assert "<script>alert" not in text


def test_a_page_keeps_to_its_size_and_says_what_it_leaves_out(made):
    whole = dem.view(made)
    assert (len(whole.frames), whole.frames.step) == (7, 1)
    with dem.Trajectory(made) as run:
        fixed = len(re.sub(r'id="blocks">.*?</script>', "", whole.html, flags=re.DOTALL))
        budget = (fixed + 3.5 * frame_bytes(run)) / 1e6
    less = dem.view(made, "less.html", megabytes=budget)
    assert less.frames.step > 1
    assert len(less.html) <= 1e6 * budget
    assert f"one frame in {less.frames.step}" in less.html
    assert f"one in {less.frames.step} of 7" in less.shown
    with pytest.raises(ValueError, match=r"two frames of .* may take [\d.]+ MB, more than 0.001"):
        dem.view(made, megabytes=0.001)


def test_outputs_are_checked(made):
    dem.view(made, "run.html")
    with pytest.raises(FileExistsError):
        dem.view(made, "run.html")
    with pytest.raises(ValueError, match="html"):
        dem.view(made, "run.h5x")
    done = CliRunner().invoke(app, ["view", "run.h5", "-o", "other.html", "--no-open"])
    assert (done.exit_code, done.output[:22]) == (0, "other.html: 7 frames, ")
    refused = CliRunner().invoke(app, ["view", "run.h5", "--live", "-o", "x.html"])
    assert refused.exit_code == 2


def test_a_notebook_shows_it_in_a_frame_that_it_cannot_leave(made):
    shown = dem.view(made)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    assert "<script" not in shown  # all of it is escaped


@pytest.fixture
def served(made):
    with live.Server(made) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def fetched(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read().decode()


def said_to(server, request):
    """What a server answers to bytes, whatever they are."""
    with socket.create_connection(server.server_address, timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read().decode()


def test_a_malformed_request_is_answered_and_shows_no_traceback(served, capfd):
    host = f"Host: 127.0.0.1:{served.server_address[1]}\r\n\r\n"
    for query in ("", "?after=1", "?after=x&particles=4", "?after=1&particles=", f"?after={'9' * 5000}&particles=4"):
        asked = f"GET /{served.secret}/blocks{query} HTTP/1.1\r\n{host}"
        assert said_to(served, asked.encode()).startswith("HTTP/1.0 400 "), query
    for asked in (b"GET http://[ HTTP/1.1\r\n\r\n", b"GET / HTTP/x\r\n\r\n", b"\xff\xfe \xff\r\n\r\n"):
        assert "400" in said_to(served, asked), asked
    assert said_to(served, b"POST / HTTP/1.1\r\n\r\n").startswith("HTTP/1.0 501 ")
    assert capfd.readouterr().err == ""


def test_a_connection_that_is_dropped_needs_no_words_and_other_faults_a_line(served, capfd):
    for error in (BrokenPipeError(), ConnectionResetError()):
        try:
            raise error
        except ConnectionError:
            served.handle_error(None, None)
    assert capfd.readouterr().err == ""
    try:
        message = "of some kind"
        raise ArithmeticError(message)
    except ArithmeticError:
        served.handle_error(None, None)
    assert capfd.readouterr().err == "dem: a request to the viewer was not answered: of some kind\n"


def test_a_run_is_followed_on_this_machine_alone(served, made):
    assert served.server_address[0] == "127.0.0.1"
    address = served.address
    assert [len(block["number"]) for block in parts(fetched(address))[1]] == [1]
    told = json.loads(fetched(f"{address}blocks?after=1&particles=4"))
    assert told["ended"]
    assert told["blocks"][0]["number"] == list(range(1, 7))
    assert json.loads(fetched(f"{address}blocks?after=7&particles=4"))["blocks"] == []
    elsewhere = urllib.request.Request(address, headers={"Host": "example.org"})  # as rebinding a name would
    for wrong in (address.replace(served.secret, "guessed"), f"{address}other", elsewhere):
        with pytest.raises(urllib.error.HTTPError) as refused:
            fetched(wrong)
        assert refused.value.code == 404
        refused.value.close()


def colours(page):
    """The picture of the scene."""
    image = pytest.importorskip("PIL.Image").open(BytesIO(page.locator("#scene").screenshot()))
    return np.asarray(image.convert("RGB"), int)


def test_a_browser_shows_it_and_it_moves(made):
    dem.view(made, "run.html")
    with browser.opened() as (page, seen):
        address = (made.parent / "run.html").as_uri()
        page.goto(address)
        browser.wait(page, "!!window.dem && (!!dem.state.ready || dem.state.errors.length > 0)")
        assert page.evaluate("dem.state.errors") == []
        assert page.evaluate("[dem.state.spheres, dem.run.time.length, dem.state.rods]") == [12, 7, 0]
        page.wait_for_timeout(500)
        first = colours(page)
        assert len(np.unique(first.reshape(-1, 3), axis=0)) > 50  # lit spheres, not an empty scene
        assert page.evaluate("dem.state.frame") == 6  # it opens at the end of the run
        page.evaluate("dem.show(0)")
        page.wait_for_timeout(500)
        assert (np.abs(colours(page) - first).max(axis=2) > 20).sum() > 100  # it changes with time
        page.evaluate("dem.show(6)")
        page.select_option("#colour", "force")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("[dem.state.frame, document.getElementById('time').value]")[0] == 5
        assert seen["wrong"] == []
        assert seen["fetched"] == [address]


@pytest.mark.slow
def test_a_browser_shows_bonds_until_they_break(torn):
    dem.view(torn, torn.with_suffix(".html"))
    with browser.opened() as (page, seen):
        page.goto(torn.with_suffix(".html").as_uri())
        browser.wait(page, "!!window.dem && (!!dem.state.ready || dem.state.errors.length > 0)")
        page.evaluate("dem.show(0)")
        assert page.evaluate("[dem.state.errors, dem.state.rods]") == [[], 3]
        page.evaluate("dem.show(5)")
        assert page.evaluate("[dem.state.errors, dem.state.rods]") == [[], 2]
        assert seen["wrong"] == []


@pytest.fixture(scope="module")
def shower(tmp_path_factory):
    """Fibres that are put in after the first frame, fall, and have all been taken out by the last one."""
    path = tmp_path_factory.mktemp("shower") / "shower.h5"
    nylon = dem.Material(young=5e6, poisson=0.35, density=1100.0)
    region, below = dem.Block((0, 0, 0.03), (0.05, 0.05, 0.06)), dem.Block((-1, -1, -1), (1, 1, -0.01))
    fibre = dem.Fibre(diameter=0.004, aspect_ratio=2)
    rain = dem.Inserter(
        fibre, nylon, region=region, number=6, every=0.01, start=0.012, velocity=(0, 0, -1), name="rain"
    )
    sim = dem.Simulation(None, inserters=[rain], outlets=[dem.Outlet(below, every=0.002)], time_step=2e-4)
    sim.run(0.12, output=path, frames=12, contacts=True)
    return path


def test_a_run_whose_particles_come_and_go_is_viewed(shower):
    """A particle has the same place in all frames, and none where it is absent."""
    what, given = parts(dem.view(shower).html)
    with dem.Trajectory(shower) as run:
        counts = [len(frame.position) for frame in run]
        assert run.describe()[0]["particles"] == len(run.identity) == max(counts)
        assert counts[0] == counts[-1] == 0 < max(counts)
        rows = [(block, unpacked(what, block), row) for block in given for row in range(block["frames"])]
        for frame, (block, got, row) in zip(run, rows, strict=True):
            lower, upper = np.array(block["lower"]), np.array(block["upper"])
            places = got["position"][row].reshape(-1, 3)
            present = np.flatnonzero((places != ABSENT).all(axis=1))
            assert present.tolist() == frame.columns.tolist()
            shown = lower + places[present] * (upper - lower) / 65534
            # half a unit of the last place
            np.testing.assert_allclose(shown, frame.position, atol=0.51 * (upper - lower).max() / 65534)


@pytest.mark.parametrize("name", ["energy", "paths", "height", "orientation", "scene", "overview"])
@pytest.mark.few(2, long=99)
def test_a_run_whose_particles_come_and_go_is_drawn(name, shower):
    with dem.Trajectory(shower) as run:
        figure = dem.plots.PICTURES[name](run)
        for ax in figure.axes:
            lines = [line for line in ax.lines if line.get_label() == "mean"]
            if lines and "height" in ax.get_ylabel():  # the mean is of the particles present
                mean = np.array([frame.position[:, 2].mean() if len(frame.position) else np.nan for frame in run])
                unit = {"m": 1.0, "mm": 1e3, "cm": 1e2}[ax.get_ylabel().split("[")[1][:-1]]
                np.testing.assert_allclose(lines[0].get_ydata(), mean * unit, rtol=1e-12)  # sums in another order
        assert name != "paths" or len(figure.axes[0].collections[0].get_segments()) == len(run.kind)


def test_a_run_whose_particles_come_and_go_is_filmed(shower, tmp_path):
    with dem.Trajectory(shower) as run:
        assert dem.plots.movie(run, tmp_path / "run.gif", seconds=0.2, fps=15, size=(80, 60)) == 3  # the first is empty


def test_a_run_without_particles_is_refused_where_particles_are_drawn(tmp_path):
    nylon = dem.Material(young=5e6, poisson=0.35, density=1100.0)
    never = dem.Inserter(dem.Sphere(diameter=0.01), nylon, region=dem.Block((0, 0, 0), (1, 1, 1)), number=1, start=1.0)
    sim = dem.Simulation(None, inserters=[never], time_step=1e-3)
    sim.run(0.002, output=tmp_path / "run.h5", frames=1)
    dem.view(tmp_path / "run.h5")
    with dem.Trajectory(tmp_path / "run.h5") as run:
        dem.plots.energy(run)
        for name in ("paths", "height", "overview", "scene"):
            with pytest.raises(ValueError, match=r"run\.h5 has (no|neither) particle"):
                dem.plots.PICTURES[name](run)


def test_particles_that_come_while_a_run_is_followed_are_sent(shower):
    """A page that knows fewer particles than there are is sent the constant part again, and blocks say their own."""
    followed = live.Followed(shower)
    answer = json.loads(followed.since(0, 0))
    with dem.Trajectory(shower) as run:
        assert answer["what"]["particles"] == answer["blocks"][0]["particles"] == len(run.kind) > 0
        assert json.loads(followed.since(0, len(run.kind)))["what"] is None


def test_a_browser_shows_particles_that_come_and_go(shower):
    dem.view(shower, shower.with_suffix(".html"))
    with browser.opened() as (page, seen), dem.Trajectory(shower) as run:
        page.goto(shower.with_suffix(".html").as_uri())
        browser.wait(page, "!!window.dem && (!!dem.state.ready || dem.state.errors.length > 0)")
        shown = [page.evaluate(f"(dem.show({k}), dem.state.spheres)") for k in range(len(run))]
        assert shown == [len(frame.spheres().radii) for frame in run]
        assert page.evaluate("dem.state.errors") == []
        assert seen["wrong"] == []


def test_a_browser_follows_it(served):
    with browser.opened() as (page, seen):
        page.goto(served.address)
        browser.wait(page, "!!window.dem && dem.run.time.length === 7 && dem.state.live === false")
        assert page.evaluate("[dem.state.frame, dem.state.errors]") == [6, []]
        assert all(url.startswith(served.address) or url.endswith("favicon.ico") for url in seen["fetched"])


@pytest.mark.slow
def test_a_browser_shows_a_cell_that_deforms(tmp_path):
    """The page has the edges of each frame, and draws them as it goes through the frames."""
    sand = dem.Material(young=5e6, poisson=0.35, density=1100.0)
    ball = dem.Particles(dem.Sphere(diameter=0.004), sand, position=[[0.0, 0.0, 0.0]])
    cell = dem.Cell.shear((0.02, 0.02, 0.02), rate=2e3)
    sim = dem.Simulation(ball, cell, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    sim.run(4e-4, output=tmp_path / "cell.h5", frames=4)
    dem.view(tmp_path / "cell.h5", tmp_path / "cell.html")
    with browser.opened() as (page, seen), dem.Trajectory(tmp_path / "cell.h5") as run:
        page.goto((tmp_path / "cell.html").as_uri())
        browser.wait(page, "!!window.dem && (!!dem.state.ready || dem.state.errors.length > 0)")
        shown = np.array(page.evaluate("dem.run.cell.map(each => Array.from(each))")).reshape(-1, 3, 3)
        np.testing.assert_allclose(shown, run.cell.edges, rtol=1e-6, atol=1e-9)
        assert 0.3 < np.abs(shown[:, 0, 1]).max() / 0.02 < 0.6  # it leans, until its basis is reduced
        pictures = []
        for k in (0, 2, 4):
            page.evaluate(f"dem.show({k})")
            page.wait_for_timeout(500)
            pictures.append(colours(page))
        for one, other in itertools.pairwise(pictures):
            assert (np.abs(one - other).max(axis=2) > 20).sum() > 100  # the ball stays at the corner: edges move
        assert seen["wrong"] == page.evaluate("dem.state.errors") == []
