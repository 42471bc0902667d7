"""spacefmu sweep, as a person runs it."""

import json

import pytest

from tests.catalogue_fmus import fmu_file
from tests.cli.command import spacefmu

PLAN = """
kind = "sweep"
name = "Spread"
model = "{model}"
method = "grid"
stop = 0.5
step = 0.1

[parameters]
"hub.mass" = [400.0, 450.0, 500.0]

[metrics]
tip = {{ of = "panel.tip.displacement", kind = "max" }}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.format(model=fmu_file("HingedPanel")))
    return tmp_path


def test_sweep_again_and_one_run_of_it(folder):
    first = spacefmu("sweep", "plan.toml", "--workers", "1", "--json", folder=folder)
    assert (first.returncode, first.stderr) == (0, "")
    facts = json.loads(first.stdout)
    assert (facts["runs"], facts["failed"]) == (3, [])
    assert facts["metrics"]["tip"]["runs"] == 3
    assert (folder / "Spread" / "summary.png").stat().st_size > 10_000
    run = spacefmu("simulate", "Spread", "--run", "2", "-v", "hub.mass", folder=folder)
    assert (run.returncode, run.stderr, run.stdout) == (0, "", "Spread-2.csv\n")
    assert (folder / "Spread-2.csv").read_text().splitlines()[-1].endswith(",500")

    (folder / "plan.toml").write_text(PLAN.format(model=fmu_file("HingedPanel")).replace("450.0", "460.0"))
    other = spacefmu("sweep", "plan.toml", folder=folder)
    assert other.returncode == 2
    assert other.stderr == (
        "spacefmu: Spread: holds another sweep (its plan and draws differ from this one's); "
        "name another folder with --output, or remove this one\n"
    )


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ("sweep", "wrong.toml"),
            "spacefmu: wrong.toml: parameters.hub.mas: 'hub.mas' is not a variable of HingedPanel.fmu; did you mean 'hub.mass' or 'hub.mass_center'?\n",
        ),
        (("simulate", "Spread", "--run", "1", "--stop", "3"), "leave out --stop, --step, --set and --input\n"),
    ],
)
def test_refused_in_one_sentence(arguments, sentence, folder):
    (folder / "wrong.toml").write_text((folder / "plan.toml").read_text().replace('"hub.mass"', '"hub.mas"'))
    refused = spacefmu(*arguments, folder=folder)
    assert refused.returncode == 2
    assert refused.stderr.endswith(sentence)
    assert refused.stderr.count("\n") == 1
    assert not (folder / "Spread").exists()
