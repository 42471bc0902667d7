"""Models of the Earth about another planet, and files of the wrong form: one sentence each."""

import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from tests.environment.craft import HUB

MARS = '[environment]\ngravity = "central"\nmu = 4.2828e13\nradius = 3.3962e6\n[environment.time]\nepoch = 2026-03-20T12:00:00Z\nplanet = "mars"\n'
EARTH = MARS.replace('planet = "mars"\n', "").replace("mu = 4.2828e13\nradius = 3.3962e6\n", "")
ORBIT = EARTH.replace("[environment.time]", 'frame = "orbit"\norbit = { file = "x.tle" }\n[environment.time]')


@pytest.mark.parametrize(
    "text, sentence",
    [
        (f"{MARS}[environment.harmonics]\ndegree = 4\n", "environment.harmonics.model is 'EGM2008', expected a file with the field of mars"),
        (f'{MARS}[environment.magnetic]\nmodel = "IGRF-14"\n', "environment.magnetic.model is 'IGRF-14', expected a file with the field of mars"),
        (f'{MARS}[environment.air]\nmodel = "layers"\n', "environment.air.model is 'layers', expected a file with the air of mars"),
        (f'{EARTH}[environment.harmonics]\nfile = "none.gfc"\ndegree = 2\n', "environment.harmonics.file none.gfc can't be read"),
        (ORBIT, "environment.orbit.file x.tle has neither two-line elements nor an OMM or OEM of CCSDS"),
    ],
)  # fmt: skip
def test_one_sentence(tmp_path, text, sentence):
    (tmp_path / "x.tle").write_text("1 25544U\n2 25544 51.6\n", "utf-8")
    with pytest.raises(DescriptionError) as caught:
        load_text(f'name = "Test"\n{text}{HUB}', folder=tmp_path)
    (problem,) = caught.value.problems
    assert problem.startswith(sentence)
