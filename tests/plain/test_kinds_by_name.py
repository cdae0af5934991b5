"""Species that differ in size alone are told apart by their names; errors say what joins groups."""

import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.cli.application import app

SAND = dem.Material(young=5e6, poisson=0.3, density=2500.0)
BOX = dem.Box((0, 0, 0), (0.05, 0.05, 0.05), SAND)
FINE, COARSE = dem.Sphere(diameter=0.003), dem.Sphere(diameter=0.006)


def packed(pack=dem.pack, **names):
    halves = [{"lower": (0, 0, z), "upper": (0.05, 0.05, z + 0.025)} for z in (0, 0.025)]
    return [
        pack(shape, SAND, number=n, name=names.get(key), **half)
        for shape, n, key, half in zip((FINE, COARSE), (9, 5), ("fine", "coarse"), halves, strict=True)
    ]


@pytest.mark.parametrize("pack", [dem.pack, dem.pack_dense])
def test_packs_of_two_names_are_two_kinds_that_files_select_by_name(tmp_path, pack):
    both = dem.Particles.concatenate(packed(pack, fine="fine", coarse="coarse"))
    assert [kind.name for kind in both.kinds] == ["fine", "coarse"]
    assert both.of_kind("coarse").tolist() == [False] * 9 + [True] * 5
    dem.Simulation(both, BOX, time_step=1e-5, threads=1).run(1e-5, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert np.array_equal(run.of_kind("coarse"), run[-1].of_kind("coarse"))
        assert np.all(run.mass[run.of_kind("coarse")] > 2 * run.mass[run.of_kind("fine")].max())
        with pytest.raises(ValueError, match="unknown kind 'corse': did you mean coarse"):
            run.of_kind("corse")


def test_groups_are_named_as_they_are_joined():
    """The state stays as it is; without names two sizes are one kind, as sizes of one distribution are."""
    fine, coarse = packed()
    named, unnamed = (
        dem.Particles.concatenate({"fine": fine, "coarse": coarse}),
        dem.Particles.concatenate([fine, coarse]),
    )
    assert [kind.name for kind in unnamed.kinds] == ["sphere"]
    assert named.of_kind("fine").sum() == 9
    assert named.position.tobytes() == unnamed.position.tobytes()
    assert dem.Particles.concatenate([named, named]).kinds == named.kinds
    with pytest.raises(TypeError, match="name is 1, expected text"):
        dem.Particles.concatenate({1: fine})


def test_a_kind_whose_name_another_has_goes_by_its_number_too():
    steel = dem.Material(young=2e8, poisson=0.3)
    both = dem.Particles.concatenate(
        [dem.Particles(FINE, stuff, position=[[x, 0, 0]]) for x, stuff in ((0.0, SAND), (0.01, steel))]
    )
    assert both.of_kind("sphere").tolist() == [True, True]
    assert both.of_kind("sphere-2").tolist() == [False, True]


def test_what_is_meant_by_a_sum_a_list_and_a_wall_is_said():
    fine, coarse = packed()
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=SAND)
    for add in (lambda: fine + coarse, lambda: sum([fine, coarse])):
        with pytest.raises(TypeError, match=r"join groups by dem\.Particles\.concatenate\(\[a, b\]\)"):
            add()
    with pytest.raises(TypeError, match=r"one list, got several arguments"):
        dem.Particles.concatenate(fine, coarse)
    with pytest.raises(TypeError, match=r"particles is list.*join groups by dem\.Particles\.concatenate"):
        dem.Simulation([fine, coarse], time_step=1e-6)
    for box in (floor, [floor]):
        with pytest.raises(TypeError, match=r"box is .*give walls by keyword, walls=\[\.\.\.\]"):
            dem.Simulation(fine, box, time_step=1e-6)
    with pytest.raises(ValueError, match=r"velocity has shape \(2,\), expected \(N, 3\) with N = 9"):
        fine.velocity = [0, 1]
    with pytest.raises(ValueError, match=r"has shape \(1, 2\), expected \(N, 3\) with N = 1"):
        dem.Particles(FINE, SAND, position=[[0, 0]])
    with pytest.raises(AttributeError, match=r"no attribute 'Spere'. Did you mean 'Sphere'"):
        dem.Spere  # noqa: B018


def test_case_files_name_the_word_that_may_be_meant(tmp_path):
    path = tmp_path / "wall.toml"
    path.write_text(
        'duration = 1\ntime_step = "auto"\nmaterials.sand = { young = 1e7, poisson = 0.3 }\nparticles = []\n'
        '[[walls]]\ntype = "cilinder"\nmaterial = "sand"\n'
    )
    with pytest.raises(ValueError, match=r"walls.0.type is 'cilinder'.*did you mean cylinder\?"):
        dem.load(path)


def test_a_sweep_takes_the_duration_as_a_run_does(tmp_path):
    """It lists the same commands as for the parameter of that name."""
    lists = []
    for words in (["--duration", "0.01"], ["--set", "duration=0.01"]):
        shown = CliRunner().invoke(
            app, ["sweep", "hard-spheres", "--set", "n=8,9", *words, "--list", "-o", str(tmp_path)]
        )
        assert shown.exit_code == 0, shown.output
        lists.append(shown.stdout)
    assert lists[0] == lists[1]
    assert lists[0].count("duration=0.01") >= 2
