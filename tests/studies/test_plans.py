"""Plans: draws that can be had again, distributions, and every wrong plan refused with the sentence that names what is wrong."""

import numpy as np
import pytest
from scipy import stats

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src.studies.distributions import drawn
from spacefmu.fmu_src.studies.draws import draws
from spacefmu.fmu_src.studies.model import Model
from spacefmu.fmu_src.studies.plan import read_plan
from spacefmu.fmu_src.studies.study import study
from tests.catalogue_fmus import fmu_file

HEAD = """
kind = "sweep"
name = "Spread"
model = "HingedPanel"
stop = 0.5
"""
DRAWN = (
    HEAD
    + """
method = "random"
runs = 10
seed = 1

[parameters]
"hub.mass" = { distribution = "uniform", low = 400.0, high = 500.0 }
"panel.mode[1].frequency" = { distribution = "normal", mean = 1.0, deviation = 0.05, relative = true }

[metrics]
tip = { of = "panel.tip.displacement", kind = "max" }
"""
)


def written(folder, text):
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def numbers(folder, text):
    return draws(read_plan(written(folder, text)), folder)


def drawn_by(method, runs, seed):
    return (
        DRAWN.replace('"random"', f'"{method}"')
        .replace("runs = 10", f"runs = {runs}")
        .replace("seed = 1", f"seed = {seed}")
    )


@pytest.mark.parametrize("method", ["random", "latin_hypercube", "sobol"])
def test_draws_are_the_same_again_and_follow_the_seed(method, tmp_path):
    names, values = numbers(tmp_path, drawn_by(method, 100, 3))
    assert names == ("hub.mass", "panel.mode[1].frequency")
    assert np.array_equal(values, numbers(tmp_path, drawn_by(method, 100, 3))[1])
    assert not np.array_equal(values, numbers(tmp_path, drawn_by(method, 100, 4))[1])
    assert values[:, 0].min() >= 400.0
    assert values[:, 0].max() <= 500.0
    if method == "latin_hypercube":  # one draw in each hundredth of the range
        assert sorted(np.floor(values[:, 0] - 400.0)) == list(range(100))
    if method == "sobol":  # a longer sweep begins with the same runs
        assert np.array_equal(numbers(tmp_path, drawn_by(method, 128, 3))[1][:100], values)


# Distribution and what scipy says of it: the draw at u is where the cumulative distribution is u.
DISTRIBUTIONS = {
    '{ distribution = "uniform", low = -1.0, high = 3.0 }': stats.uniform(-1.0, 4.0),
    '{ distribution = "log_uniform", low = 0.1, high = 10.0 }': stats.loguniform(0.1, 10.0),
    '{ distribution = "triangular", low = 0.0, mode = 1.0, high = 4.0 }': stats.triang(0.25, 0.0, 4.0),
    '{ distribution = "normal", mean = 5.0, deviation = 2.0 }': stats.norm(5.0, 2.0),
    '{ distribution = "normal", mean = 5.0, deviation = 2.0, low = 4.0 }': stats.truncnorm(-0.5, np.inf, 5.0, 2.0),
    '{ distribution = "log_normal", median = 2.0, deviation = 0.1 }': stats.lognorm(0.1, 0.0, 2.0),
}


@pytest.mark.parametrize("text", DISTRIBUTIONS)
def test_distributions(text, tmp_path):
    plan = read_plan(written(tmp_path, DRAWN.replace('{ distribution = "uniform", low = 400.0, high = 500.0 }', text)))
    u = np.linspace(0.001, 0.999, 50)
    values = drawn(plan.parameters["hub.mass"], u)
    assert np.abs(DISTRIBUTIONS[text].cdf(values) - u).max() < 1e-12  # measured below 2e-15
    assert np.all(np.isfinite(drawn(plan.parameters["hub.mass"], np.array([0.0, 1.0]))))


GRID = (
    HEAD
    + """
method = "grid"

[parameters]
"hub.mass" = [400.0, 500.0]
"panel.mode[1].damping" = { low = 0.001, high = 0.1, count = 3, spacing = "log" }

[metrics]
tip = { of = "panel.tip.displacement", kind = "max" }
"""
)


def test_grid(tmp_path):
    _, values = numbers(tmp_path, GRID)
    expected = [(m, d) for m in (400.0, 500.0) for d in (0.001, 0.01, 0.1)]
    assert np.allclose(values, expected, rtol=1e-12)


LIST = HEAD + 'method = "list"\nfile = "cases.csv"\n[metrics]\ntip = { of = "panel.tip.displacement", kind = "max" }\n'


def test_list(tmp_path):
    (tmp_path / "cases.csv").write_text("hub.mass,panel.mode[1].damping\n410,0.01\n\n420,0.02\n")
    names, values = numbers(tmp_path, LIST)
    assert names == ("hub.mass", "panel.mode[1].damping")
    assert values.tolist() == [[410.0, 0.01], [420.0, 0.02]]


WRONG = {
    "no method": (('method = "random"', ""), "method is missing"),
    "unknown method": (('"random"', '"sobel"'), "'sobel' is not a method; did you mean 'sobol'?"),
    "no runs": (("runs = 10", "runs = 0"), "runs is 0, expected a number not less than 1"),
    "no seed": (("seed = 1", ""), "seed is missing"),
    "empty": ((DRAWN[DRAWN.index('"hub.mass"') : DRAWN.index("[metrics]")], ""), "parameters is {}, expected at least 1"),
    "unknown key": (("low = 400.0,", "low = 400.0, hihg = 1.0,"), "parameters.hub.mass has the unknown key 'hihg'; did you mean 'high'?"),
    "unknown distribution": (('"uniform"', '"unifrom"'), "parameters.hub.mass.distribution is 'unifrom', expected"),
    "impossible range": (("low = 400.0", "low = 600.0"), "expected low, 600, below high, 500"),
    "no spread": (("deviation = 0.05", "deviation = 0.0"), "deviation is 0.0, expected a number greater than 0"),
    "unknown parameter": (('"hub.mass" =', '"hub.mas" ='), "parameters.hub.mas: 'hub.mas' is not a variable of HingedPanel.fmu; did you mean 'hub.mass"),
    "calculated": (('"hub.mass" =', '"panel.tip.displacement[1]" ='), "panel.tip.displacement[1] can't be set"),
    "outside its range": (("low = 400.0", "low = -400.0"), "expected a number greater than 0"),
    "unknown variable": (('of = "panel.tip.displacement"', 'of = "panel.tip.displacment"'), "metrics.tip: 'panel.tip.displacment' is not a variable"),
    "unknown kind": (('kind = "max"', 'kind = "maximum"'), "metrics.tip.kind is 'maximum', expected"),
    "settling without band": (('kind = "max"', 'kind = "settling_time"'), "band"),
    "unknown unit": (('kind = "max"', 'kind = "max", unit = "mm"'), "metrics.tip: unit is 'mm', but panel.tip.displacement[1] has m"),
    "after the stop": (('kind = "max"', 'kind = "max", after = 9.0'), "after is 9, but a run stops at 0.5 s"),
    "nothing measured": (('tip = { of = "panel.tip.displacement", kind = "max" }', ""), "nothing is measured"),
    "name taken": (("tip =", "run ="), "metrics.run: the name is reserved"),
    "set twice": (("[metrics]", '[set]\n"hub.mass" = 1.0\n[metrics]'), "hub.mass is both in parameters and in set"),
    "unknown set": (("[metrics]", '[set]\n"hub.mas" = 1.0\n[metrics]'), "set.hub.mas: 'hub.mas' is not a variable"),
    "unknown trace": (("[metrics]", '[traces]\nvariables = ["hub.spin"]\n[metrics]'), "traces: 'hub.spin' is not a variable"),
    "two of one": (('"hub.mass" = {', '"other" = { variables = ["panel.mode[1].frequency"],'), "panel.mode[1].frequency is set twice, by parameters.other"),
    "relative to nothing": (('"panel.mode[1].frequency"', '"panel.mode[1].amplitude"'), "every start value is 0"),
    "not TOML": (("runs = 10", "runs ="), "is not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_plans(case, tmp_path):
    (old, new), sentence = WRONG[case]
    assert old in DRAWN
    path = written(tmp_path, DRAWN.replace(old, new))
    with pytest.raises(DescriptionError) as caught:
        checked(path)
    assert sentence in str(caught.value)
    assert len(caught.value.problems) == 1


def test_all_problems_at_once(tmp_path):
    path = written(tmp_path, DRAWN.replace("hub.mass", "hub.mas").replace("tip.displacement", "tip.displacment"))
    with pytest.raises(DescriptionError) as caught:
        checked(path)
    assert len(caught.value.problems) == 2


WRONG_LISTS = {
    "no file": (None, "cases.csv"),
    "no rows": ("hub.mass\n", "at least one line of numbers"),
    "no number": ("hub.mass\nheavy\n", "line 2: hub.mass is 'heavy', expected a finite number"),
    "short line": ("hub.mass,panel.mass\n1\n", "line 2: has 1 values, expected 2"),
    "twice": ("hub.mass,hub.mass\n1,2\n", "the column 'hub.mass' appears twice"),
    "unknown": ("hub.mas\n1\n", "'hub.mas' is not a variable of HingedPanel.fmu; did you mean 'hub.mass"),
}


@pytest.mark.parametrize("case", WRONG_LISTS)
def test_wrong_lists(case, tmp_path):
    text, sentence = WRONG_LISTS[case]
    if text is not None:
        (tmp_path / "cases.csv").write_text(text)
    with pytest.raises(DescriptionError) as caught:
        checked(written(tmp_path, LIST))
    assert sentence in str(caught.value)


def checked(path):
    plan = read_plan(path)
    model = Model({"": fmu_file("HingedPanel")}, stop=plan.stop, set=plan.set)
    return study(plan, str(path), model, None, lambda: draws(plan, path.parent))


def test_numbers_become_start_values(tmp_path):
    """A unit is converted, relative numbers multiply each variable's own start, an array's name sets all of it."""
    text = (
        HEAD
        + """
    method = "grid"
    [parameters]
    turn = { values = [180.0], unit = "deg/s", variables = ["hub.angular_velocity[3]"] }
    inertia = { values = [1.5], relative = true, variables = ["hub.inertia.xx", "hub.inertia.xy"] }
    "hub.velocity" = [2.0]
    [set]
    "hub.inertia.xy" = 3.0
    [traces]
    variables = ["hub.angular_velocity"]
    """
    )
    found = checked(written(tmp_path, text))
    nominal = found.model.variables()["hub.inertia.xx"].start
    assert found.settings(found.values[0]) == {
        "hub.angular_velocity[3]": pytest.approx(np.pi, rel=1e-15),
        "hub.inertia.xx": 1.5 * nominal,
        "hub.inertia.xy": 4.5,
        **{f"hub.velocity[{i}]": 2.0 for i in (1, 2, 3)},
    }
