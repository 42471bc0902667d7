"""Noise of sensors: the published generator and quantiles, moments, tails, spectrum, independence of seeds and of sensors, the same bits in every flavour."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from spacefmu.dynamics.blocks.noise import LARGEST_SEED, key_of, normal, normals, seed_of, words
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.blocks.sensors import Gyro
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.recording import recorded
from spacefmu.fmu_src import api
from spacefmu.fmu_src.cosim.fmu import Slave

HALF = np.uint64(32)
KEY = 0xC58EFD154CE32F6D
GYRO = 'kind = "gyro"\nname = "Rates"\nsample_time = 0.1\nnoise = 1e-3\ndrift = 1e-5\n'


def squares(counter, key: int):
    """[widynski2020], as its paper prints it, on whole numbers of 64 bits."""
    key = np.uint64(key)
    with np.errstate(over="ignore"):
        y = x = np.asarray(counter).astype(np.uint64) * key
        z = y + key
        for added in (y, z, y):
            x = x * x + added
            x = (x >> HALF) | (x << HALF)
        return (x * x + z) >> HALF


def key_as_number(seed: float) -> int:
    return sum(int(limb) << 16 * place for place, limb in enumerate(key_of(seed)))


def drawn(seed: float, count: int):
    """The first numbers of a seed, one per sample."""
    return normal(words(np.arange(float(count)), key_of(seed)))


def test_words_are_those_of_the_paper():
    counters = np.concatenate([np.arange(2000), np.random.default_rng(1).integers(0, 2**53, 2000)])
    limbs = [float(KEY >> 16 * place & 0xFFFF) for place in range(4)]
    assert np.array_equal(words(counters.astype(float), limbs), squares(counters, KEY))
    before = words(np.array([-1.0, -7.0]), limbs)  # samples before time 0
    assert np.array_equal(before, squares(np.array([-1, -7]), KEY))
    assert key_as_number(5.0) % 2 == 1


def test_normal_numbers_are_the_quantiles():
    """Against SciPy over the whole range: found 1.0e-15 relative; to ±6.34, where numbers of 32 bits end."""
    ends = np.arange(1000.0)
    w = np.concatenate([ends, 2.0**32 - 1.0 - ends, np.linspace(0, 2**32 - 1, 100_001).round()])
    expected = ndtri((w + 0.5) / 2.0**32)
    assert np.abs(normal(w) - expected).max() / np.abs(expected).max() < 1e-14
    assert (normal(w).min(), normal(w).max()) == pytest.approx((-6.338, 6.338), abs=1e-3)


@pytest.mark.parametrize("seed", [1, 2, LARGEST_SEED, seed_of("Gyro")])
def test_moments_and_distribution(seed):
    """200,000 numbers: mean, variance, skewness and excess within 4 of their standard errors, and the whole distribution."""
    n = 200_000
    numbers = drawn(float(seed), n)
    found = numbers.mean(), numbers.var() - 1.0, stats.skew(numbers), stats.kurtosis(numbers)
    assert np.abs(np.array(found) * np.sqrt(n / np.array([1.0, 2.0, 6.0, 24.0]))).max() < 4.0
    assert stats.kstest(numbers, "norm").pvalue > 1e-3


def test_tails_reach_beyond_4_6_deviations_on_both_sides():
    """2·10⁷ numbers: 42.2 expected below −4.6 and as many above; found 50 and 42. Before, none were below."""
    limit = stats.norm.cdf(-4.6) * 2.0**32 - 0.5
    key, found = key_as_number(3.0), np.zeros(2)
    for part in np.split(np.arange(20_000_000), 20):
        w = squares(part, key)
        found += (w < limit).sum(), (w > 2.0**32 - 1.0 - limit).sum()
    assert np.abs(found - 42.2).max() < 4.0 * np.sqrt(42.2)


def test_spectrum_is_flat():
    """The cumulated periodogram of 2¹⁸ numbers is a straight line (Bartlett's test), and no lag up to 50 is correlated."""
    numbers = drawn(4.0, 2**18)
    power = np.abs(np.fft.rfft(numbers)[1:-1]) ** 2
    share = np.cumsum(power)[:-1] / power.sum()
    assert stats.kstest(share, "uniform").pvalue > 1e-3
    lags = [numbers[lag:] @ numbers[:-lag] / np.sqrt(len(numbers)) for lag in range(1, 51)]
    assert np.abs(lags).max() < 4.0


def test_seeds_1_to_200_are_independent():
    """Their first numbers are normal (before: 2.7 deviations rms), and no two streams of 2000 are correlated: 19,900 pairs, the largest of as many is 4.2 ± 0.3."""
    streams = np.array([drawn(float(seed), 2000) for seed in range(1, 201)])
    first = streams[:, 0]
    assert np.sqrt(np.mean(first**2)) == pytest.approx(1.0, abs=0.15)  # found 0.97
    assert np.abs(first).max() < 4.0
    assert stats.kstest(first, "norm").pvalue > 0.01
    pairs = np.corrcoef(streams)[np.triu_indices(200, 1)] * np.sqrt(2000)
    assert pairs.std() == pytest.approx(1.0, abs=0.03)  # found 1.00
    assert np.abs(pairs).max() < 5.3
    late = np.array([normals(float(seed), 1e7, 6) for seed in range(1, 201)])  # after 11 days at 10 Hz, too
    assert np.abs(np.corrcoef(late.T)[np.triu_indices(6, 1)]).max() < 4.0 / np.sqrt(200)


def test_a_sensor_that_states_no_seed_has_one_of_its_own():
    found = {
        name: load_text(GYRO.replace("Rates", name)).signals.starts("parameters")[1] for name in ("GyroA", "GyroB")
    }
    assert found["GyroA"] == seed_of("GyroA") != found["GyroB"] == seed_of("GyroB")
    assert load_text(GYRO + "seed = 7\n").signals.starts("parameters")[1] == 7
    for wrong in ("0", "2147483647", "1.5", '"x"'):
        with pytest.raises(DescriptionError, match="seed"):
            load_text(GYRO + f"seed = {wrong}\n")


@pytest.mark.parametrize("algorithm", ["gauss_seidel", "monolithic"])
def test_two_units_of_one_sensor_have_noise_of_their_own(algorithm, tmp_path):
    (tmp_path / "rates.toml").write_text(GYRO)
    path = tmp_path / "pair.toml"
    path.write_text(
        f'kind = "system"\nname = "Pair"\nstep = 0.1\nstop = 0.5\nalgorithm = "{algorithm}"\n[units.a]\nmodel = "rates.toml"\n'
        '[units.b]\nmodel = "rates.toml"\n[units.c]\nmodel = "rates.toml"\nstart = { seed = 5 }\n'
    )
    run = api.cosimulate(path)
    a, b, c = (run[f"{unit}.rate"] for unit in "abc")
    assert not np.isclose(a, b, rtol=1e-3).any()
    expected = load_text(GYRO + "seed = 5\n")
    assert c[0] == pytest.approx(first_sample(expected), abs=0.0)


def first_sample(system):
    x, u, k, d = evaluate.start(system)
    return evaluate.motion(system, 0.0, x, u, k, d)[1]


def test_floats_recorded_and_both_flavours_draw_the_same_bits_and_restore_them(tmp_path):
    """A state saved after three samples and restored after six gives the same samples again, in either flavour."""
    system = load_text(GYRO + "seed = 5\n")
    plain = first_sample(partner_system(Gyro(name="G", sample_time=0.1, noise=1e-3, drift=1e-5, seed=5)))
    assert np.array_equal(plain, first_sample(recorded(system)))
    found = []
    for flavour in ("native", "python"):
        with Slave("gyro", api.build(system, tmp_path / f"{flavour}.fmu", flavour=flavour)) as slave:
            for call in ("setupExperiment", "enterInitializationMode", "exitInitializationMode"):
                slave.call(call)
            names = slave.resolve("rate")

            def rows(first: int, slave=slave, names=names):
                values = []
                for n in range(first, first + 3):
                    values.append(slave.get(names).tolist())
                    slave.call("doStep", 0.1 * n, 0.1)
                return values

            begin = rows(0)
            saved = slave.call("getFMUState")
            after = rows(3)
            slave.call("setFMUState", saved)
            slave.call("freeFMUState", saved)
            assert rows(3) == after
            assert begin != after
            found.append(begin + after)
    assert found[0] == found[1]
    assert found[0][0] == plain.tolist()
