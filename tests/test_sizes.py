"""Distributions of sizes: closed forms, what quotas promise, tables from files, particles in Python and case files."""

import math

import numpy as np
import pytest
from dem.kernels.numerics.random import philox
from scipy import integrate, stats

import dem
from dem.casefile.load import read
from dem.model.particles import grading as gradings
from dem.model.particles.sizes import PURPOSE, largest_remainders

LOG_NORMAL = dem.LogNormalSizes(median=1e-3, geometric_deviation=1.5)
ALL = [
    dem.UniformSizes(lower=1e-3, upper=3e-3),
    dem.UniformSizes(lower=1e-3, upper=3e-3, by="number"),
    dem.NormalSizes(mean=2e-3, deviation=3e-4, lower=1e-3, upper=2.6e-3),
    dem.NormalSizes(mean=2e-3, deviation=3e-4, lower=1e-3, upper=2.6e-3, by="number"),
    LOG_NORMAL,
    dem.LogNormalSizes(median=1e-3, geometric_deviation=1.5, lower=5e-4, upper=3e-3, by="number"),
    dem.RosinRammlerSizes(scale=1e-3, exponent=2.0, lower=1e-4),
    dem.RosinRammlerSizes(scale=1e-3, exponent=2.0, lower=1e-4, upper=2e-3, by="number"),
    dem.SieveSizes(apertures=(1e-3, 2e-3, 4e-3), shares=(0.25, 0.75)),
    dem.SieveSizes(apertures=(1e-3, 2e-3, 4e-3), shares=(0.25, 0.75), by="number"),
]
NAMES = [f"{sizes.type}-{sizes.by}" for sizes in ALL]
FINE = 1e-5  # of a size: what the panels promise


@pytest.mark.parametrize("sizes", ALL, ids=NAMES)
def test_quantiles_are_those_of_the_density(sizes):
    """By mass and by number, of which one is the other times d³; adaptive quadrature of the density that was said."""
    spans = sizes.spans()
    total = {}
    for by in ("mass", "number"):
        power = {("mass", "number"): -3, ("number", "mass"): 3}.get((sizes.by, by), 0)

        def held(upper, power=power):
            """Up to a size."""
            parts = 0.0
            for span in spans:
                top = min(upper, span.upper)
                if top > span.lower:
                    one = integrate.quad(lambda x, s=span: s.density(np.exp(x)) * np.exp(x),
                                         math.log(span.lower), math.log(span.upper), limit=200)[0]  # fmt: skip
                    density = lambda x, s=span: s.density(np.exp(x)) * np.exp(x) * np.exp(power * x)  # noqa: E731
                    ends = math.log(span.lower), math.log(top)
                    parts += span.share / one * integrate.quad(density, *ends, limit=200)[0]
            return parts

        total[by] = held(math.inf)
        for share in (0.02, 0.1, 0.5, 0.9, 0.98):
            near = sizes.quantile(share, by)
            below, above = held(near * (1 - FINE)) / total[by], held(near * (1 + FINE)) / total[by]
            assert below <= share * (1 + 1e-8)  # what quad is accurate to
            assert share * (1 - 1e-8) <= above
    cube = total["mass"] / total["number"]
    assert sizes.mean_cube == pytest.approx(cube, rel=1e-8)


def test_closed_forms():
    """Truncated normal and log-normal numbers, Hatch and Choate's medians, Rosin and Rammler's, a class of sieves."""
    sigma = math.log(1.5)
    for share in (0.1, 0.5, 0.9):
        z = stats.norm.ppf(share)
        assert LOG_NORMAL.quantile(share) == pytest.approx(1e-3 * math.exp(sigma * z), rel=FINE)
        by_number = LOG_NORMAL.quantile(share, "number")
        assert by_number == pytest.approx(1e-3 * math.exp(sigma * z - 3 * sigma**2), rel=FINE)
        normal = stats.truncnorm(-10 / 3, 2, 2e-3, 3e-4)
        assert ALL[3].quantile(share, "number") == pytest.approx(normal.ppf(share), rel=FINE)
        left = math.exp(-0.01)  # coarser than the smallest size
        ground = 1e-3 * math.sqrt(-math.log(left * (1 - share)))
        assert ALL[6].quantile(share) == pytest.approx(ground, rel=FINE)
        a, b = 1e-3, 3e-3
        assert ALL[0].quantile(share, "number") == pytest.approx((a**-2 - share * (a**-2 - b**-2)) ** -0.5, rel=FINE)
    assert LOG_NORMAL.mean_cube == pytest.approx(1e-9 * math.exp(-4.5 * sigma**2), rel=1e-9)  # <d³> of the numbers


@pytest.mark.parametrize("sizes", ALL, ids=NAMES)
@pytest.mark.parametrize("number", [1, 7, 100, 2000])
@pytest.mark.few(14)
def test_few_particles_hold_the_distribution(sizes, number):
    """Any range has its share of the number to within one particle (two ends), a span its own; the volume is right."""
    drawn = np.sort(sizes.draw(number))
    below = np.searchsorted(drawn, [sizes.quantile(share, "number") for share in np.linspace(0, 1, 41)])
    spans = len(sizes.spans())
    assert np.abs(below - number * np.linspace(0, 1, 41)).max() <= spans + 1e-9 * number
    for span, quota in zip(sizes.spans(), share_by_number(sizes), strict=True):
        assert abs(((drawn >= span.lower) & (drawn <= span.upper)).sum() - quota * number) < 1
    if spans == 1:
        assert (drawn**3).mean() == pytest.approx(sizes.mean_cube, rel=2e-5)  # strata cut at quantiles to 1e-5


def share_by_number(sizes):
    numbers = [table.number for table in sizes._tables()]
    return np.array(numbers) / sum(numbers)


@pytest.mark.parametrize("sizes", ALL, ids=NAMES)
def test_gradings_of_what_is_drawn_come_near(sizes):
    """2000 particles: D10, D50, D90 by mass are exact to the mass of the largest particle, in quantiles."""
    drawn = sizes.draw(2000)
    one = (drawn**3).max() / (drawn**3).sum()
    found = gradings.grading(drawn)
    for share, size in ((0.1, found.d10), (0.5, found.d50), (0.9, found.d90)):
        assert sizes.quantile(max(0, share - 2 * one)) <= size <= sizes.quantile(min(1, share + 2 * one))
    assert (found.smallest, found.largest) == (drawn.min(), drawn.max())


def test_a_seed_orders_and_a_stream_too():
    """Sizes are the same, in another order, which comes from words of Philox by seed, stream and place alone."""
    first, again = LOG_NORMAL.draw(500, seed=4), LOG_NORMAL.draw(500, seed=4)
    np.testing.assert_array_equal(first, again)
    for other in (LOG_NORMAL.draw(500, seed=5), LOG_NORMAL.draw(500, seed=4, stream=1)):
        assert (other != first).any()
        np.testing.assert_array_equal(np.sort(other), np.sort(first))
    zero, purpose = np.uint64(0), np.uint64(PURPOSE)
    words = [word for block in (1, 2)
             for word in philox((np.uint64(block), zero, purpose, zero), (np.uint64(4), np.uint64(1)))]  # fmt: skip
    order = np.argsort(words)
    np.testing.assert_array_equal(LOG_NORMAL.draw(8, seed=4, stream=1), np.sort(LOG_NORMAL.draw(8))[order])


def test_remainders_are_shared_out():
    """Hamilton's method: each gets its quota to within one, all get all."""
    rng = np.random.default_rng(1)
    for number in (0, 1, 7, 10**6 + 3):
        shares = rng.dirichlet(np.ones(13))
        counts = largest_remainders(shares, number)
        assert counts.sum() == number
        assert (np.abs(counts - shares * number) < 1).all()
    assert largest_remainders(np.array([1 / 3] * 3), 4).tolist() == [2, 1, 1]  # equal ones in their order


def test_lists_give_their_sizes_and_nothing_else():
    """By mass 27 small ones for a large one, in shares 0.5."""
    sizes = dem.ListedSizes(diameters=(1e-3, 3e-3), shares=(0.5, 0.5))
    assert sizes.quantile(0.4) == 1e-3
    assert sizes.quantile(0.6) == 3e-3
    drawn = sizes.draw(280)
    assert dict(zip(*np.unique(drawn, return_counts=True), strict=True)) == {1e-3: 270, 3e-3: 10}


def test_tables_from_files(tmp_path):
    """The same whether by passing or by share, in millimetres or metres, up or down."""
    wanted = dem.SieveSizes(apertures=(1e-3, 2e-3, 4e-3), shares=(0.4, 0.6))
    for text in (
        "aperture [mm],passing [%]\n1,0\n2,40\n4,100\n",
        "passing, aperture\n1, 0.004\n0.4, 0.002\n0, 0.001\n",
        "aperture [um], share\n4000, 0\n1000, 0.4\n2000, 0.6\n",
    ):
        (tmp_path / "sieves.csv").write_text(text)
        found = dem.read_sizes(tmp_path / "sieves.csv")
        np.testing.assert_allclose(found.apertures, wanted.apertures, rtol=1e-15)
        np.testing.assert_allclose(found.shares, wanted.shares, rtol=1e-15)
    (tmp_path / "list.csv").write_text("diameter [mm], share [%]\n2, 25\n1, 75\n")
    assert dem.read_sizes(tmp_path / "list.csv", by="number") == dem.ListedSizes(
        diameters=(1e-3, 2e-3), shares=(0.75, 0.25), by="number"
    )


@pytest.mark.parametrize(("text", "error"), [
    ("aperture, passing\n1e-3, 0.1\n2e-3, 1\n", r"passing goes from 0.1 to 1, expected 0 to 1: add the apertures"),
    ("aperture, share\n1e-3, 0.5\n2e-3, 0.5\n", r"the coarsest sieve retains 0.5, expected 0"),
    ("aperture, share\n1e-3, 0.5\n2e-3, 0\n", r"shares sum to 0.5, expected parts that .* sum to 1"),
    ("aperture [s], share\n1e-3, 0.5\n2e-3, 0\n", r"'1 s' is in s: expected a length"),
    ("aperture, share [kg]\n1e-3, 0.5\n2e-3, 0\n", r"a column share \[kg\], expected share \[%\]"),
    ("aperture, shares\n1e-3, 0.5\n", r"unknown column of .* 'shares': did you mean share\?"),
    ("aperture, diameter\n1e-3, 0.5\n", r"has columns aperture, diameter, expected aperture and passing"),
    ("aperture, share\n1e-3, many\n", r"row 1 is '1e-3,many', expected 2 numbers"),
    ("", r"has columns of no name"),
])  # fmt: skip
def test_odd_files_are_refused(tmp_path, text, error):
    (tmp_path / "odd.csv").write_text(text)
    with pytest.raises(ValueError, match=error):
        dem.read_sizes(tmp_path / "odd.csv")
    with pytest.raises(FileNotFoundError):
        dem.read_sizes(tmp_path / "none.csv")


@pytest.mark.parametrize(("word", "values", "error"), [
    (dem.UniformSizes, {"lower": 0.0, "upper": 1.0}, "lower is 0 m, expected a finite number above 0"),
    (dem.UniformSizes, {"lower": 2.0, "upper": 1.0}, "expected lower below upper"),
    (dem.UniformSizes, {"lower": 1.0, "upper": 2.0, "by": "volume"}, "unknown by 'volume': known are mass, number"),
    (dem.NormalSizes, {"mean": 1.0, "deviation": 0.1, "lower": 1.7, "upper": 2}, "farther than 6 deviations"),
    (dem.NormalSizes, {"mean": 1.0, "deviation": 0.0, "lower": 0.5, "upper": 2}, "deviation is 0 m, expected"),
    (dem.LogNormalSizes, {"median": 1.0, "geometric_deviation": 1.0}, "geometric_deviation is 1, expected .* above 1"),
    (dem.RosinRammlerSizes, {"scale": 1.0, "exponent": 3.0, "lower": 4.0}, "from 4 m to 3.3"),
    (dem.RosinRammlerSizes, {"scale": 1.0, "exponent": 3, "lower": 4.0, "upper": 5}, "lower is 4 m, and nothing is"),
    (dem.SieveSizes, {"apertures": (1, 2, 3), "shares": (0.3, 0.3)}, "shares sum to 0.6, expected"),
    (dem.SieveSizes, {"apertures": (1, 2, 3), "shares": (1.3, -0.3)}, "shares have -0.3 among them"),
    (dem.SieveSizes, {"apertures": (1, 2, 3), "shares": (1.0,)}, r"shares has shape \(1,\), expected \(2,\)"),
    (dem.SieveSizes, {"apertures": (1, 3, 2), "shares": (0.5, 0.5)}, "at least 2 sizes above 0 m that ascend"),
    (dem.SieveSizes, {"apertures": (0, 1, 2), "shares": (0.5, 0.5)}, "at least 2 sizes above 0 m that ascend"),
    (dem.SieveSizes, {"apertures": (1, 2)}, "give either shares or passing"),
    (dem.SieveSizes, {"apertures": (1, 2, 3), "passing": (0, 1.2, 1)}, "shares have -0.2 among them"),
    (dem.ListedSizes, {"diameters": (), "shares": ()}, "at least 1 size above 0 m"),
])  # fmt: skip
def test_impossible_distributions_are_refused(word, values, error):
    with pytest.raises(ValueError, match=error):
        word(**values)


def test_what_is_worth_a_warning():
    wide = dem.UniformSizes(lower=1e-3, upper=6e-3)
    assert [each.name for each in gradings.notices(wide, wide.draw(1000))] == ["wide-sizes"]
    odd = dem.ListedSizes(diameters=(1e-3, 4e-3), shares=(0.5, 0.5))  # one in 65
    (left_out,) = gradings.notices(odd, odd.draw(20))
    assert left_out.name == "missing-sizes"
    assert "50 % of the mass is in sizes of which 20 particles have none; draw some 65 particles" in str(left_out)
    assert gradings.notices(odd, odd.draw(65)) == []
    many = np.concatenate([np.full(300_000, 1e-3), [60e-3] * 2])
    assert [each.name for each in gradings.notices(LOG_NORMAL, many)] == ["wide-sizes", "many-fines"]


@pytest.mark.parametrize("shape", [
    dem.Sphere(diameter=0.01), dem.Fibre(diameter=0.01, aspect_ratio=3),
    dem.Clump(offsets=[[0, 0, 0], [0.004, 0, 0]], radii=[0.005, 0.003]),
], ids=lambda shape: type(shape).__name__)  # fmt: skip
def test_particles_of_any_shape(shape, nylon):
    """Solid fraction to half a mean particle; sizes as drawn; a clump's is that of the sphere of its volume."""
    sizes = dem.UniformSizes(lower=5e-3, upper=1e-2)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), nylon)
    found = dem.pack(shape, nylon, box, solid_fraction=0.1, sizes=sizes, seed=2)
    volumes = np.array([each.mass_properties(1.0).volume for each, _ in found.variants])[found.variant]
    assert abs(volumes.sum() - 1e-4) <= 0.5 * volumes.mean() * (1 + 1e-6)
    graded = found.grading()
    drawn = gradings.grading(sizes.draw(len(found), seed=2))
    np.testing.assert_allclose(graded, drawn, rtol=1e-12)
    if isinstance(shape, dem.Clump):
        np.testing.assert_allclose(graded.largest, np.cbrt(6 / math.pi * volumes.max()), rtol=1e-12)
    scaled = found.variants[found.variant[0]][0]
    factor = sizes.draw(len(found), seed=2)[0] / gradings.size_of(shape)  # in the order drawn, wherever placed first
    np.testing.assert_allclose(scaled.radii, factor * shape.radii, rtol=1e-12)


def test_what_cannot_be_packed_by_sizes(nylon, ball):
    region = {"lower": (0, 0, 0), "upper": (1, 1, 1), "number": 3}
    sizes = dem.UniformSizes(lower=5e-3, upper=1e-2)
    with pytest.raises(ValueError, match="scale and sizes are both given"):
        dem.pack(ball, nylon, scale=(1, 2), sizes=sizes, **region)
    with pytest.raises(TypeError, match=r"sizes is \(1, 2\), expected a distribution"):
        dem.pack(ball, nylon, sizes=(1, 2), **region)
    with pytest.warns(dem.DemWarning, match="wide-sizes"):
        dem.pack(ball, nylon, sizes=dem.UniformSizes(lower=1e-3, upper=9e-3), **{**region, "number": 100})


CASE = """
duration = "1 ms"
time_step = "10 us"
materials.nylon = { young = "50 MPa", poisson = 0.35, density = "1.1 g/cm3" }
shapes.ball = { type = "sphere", diameter = 0.01 }
box = { upper = ["20 cm", "20 cm", "20 cm"], material = "nylon" }

[[particles]]
shape = "ball"
material = "nylon"
random = { number = 60, sizes = SIZES }

[[particles]]
shape = "ball"
material = "nylon"
random = { solid_fraction = 0.01, sizes = { type = "list", diameters = ["5 mm"], shares = [1.0] } }
"""


def test_case_files_say_it_too(tmp_path, nylon):
    (tmp_path / "sand.csv").write_text("aperture [mm],passing [%]\n4,0\n6,40\n9,100\n")
    for said, sizes in (
        ('{ type = "uniform", by = "number", lower = "4 mm", upper = 0.01 }',
         dem.UniformSizes(lower=4e-3, upper=0.01, by="number")),
        ('{ type = "log-normal", median = "5 mm", geometric_deviation = 1.2 }',
         dem.LogNormalSizes(median=5e-3, geometric_deviation=1.2)),
        ('{ type = "file", file = "sand.csv" }', dem.read_sizes(tmp_path / "sand.csv")),
    ):  # fmt: skip
        (tmp_path / "case.toml").write_text(CASE.replace("SIZES", said))
        particles, _ = read(tmp_path / "case.toml", {}).case.build()
        diameters = np.array([shape.diameter for shape, _ in particles.variants])[particles.variant]
        np.testing.assert_allclose(diameters[:60], sizes.draw(60, seed=1, stream=0), rtol=1e-15)
        assert set(diameters[60:]) == {0.005}
        assert len(diameters) == 60 + round(0.01 * 0.2**3 / (math.pi / 6 * 0.005**3))


@pytest.mark.parametrize(("said", "error"), [
    ('{ type = "sieve", apertures = [1, 2], shares = [0.5] }', "particles.0.random.sizes: shares sum to 0.5, expected"),
    ('{ type = "normal", mean = 1 }', "sizes: normal sizes take mean, deviation, lower, upper: "),
    ('{ type = "normal", median = 1 }', "sizes: normal sizes take mean, deviation, lower, upper, got median"),
    ('{ type = "file" }', "sizes: file sizes take file, got none"),
    ('{ type = "list", diameters = ["1 s"], shares = [1] }', "sizes.diameters.0: '1 s' is in s: expected a length"),
    ('{ type = "list", diameters = [1], shares = [1] }, scale = [1, 2]', "scale and sizes are both given"),
])  # fmt: skip
def test_wrong_tables_are_told_with_their_path(tmp_path, said, error):
    (tmp_path / "case.toml").write_text(CASE.replace("SIZES", said))
    with pytest.raises(ValueError, match=r"particles\.0\.random") as wrong:
        read(tmp_path / "case.toml", {})
    assert error in str(wrong.value)
