"""Tables as people and other programs write them: what can be used is, and what can't is said with its place."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.io import savemat

from spacefmu.fmu_src.results import Result, read_result, read_table

TIME = np.linspace(0.0, 1.0, 5)

# Sound tables of the same content: time 0, 0.5, 1; a 1.5, 2, 3; b −1, −2, −3e-3.
SPELLINGS = {
    "ours": "time,a,b\n0,1.5,-1\n0.5,2,-2\n1,3,-3e-3\n",
    "a German Excel's": "Zeit [s];a;b\r\n0;1,5;-1\r\n0,5;2;-2\r\n1;3;-3e-3\r\n",
    "with the separator told": "sep=;\ntime;a;b\n0;1.5;-1\n0.5;2;-2\n1;3;-3e-3\n",
    "tabs, and time in the middle": "a\tTime (ms)\tb\n1.5\t0\t-1\n2\t500\t-2\n3\t1000\t-3e-3\n",
    "FMPy's": '"time","a","b"\n0.0,1.5,-1.0\n0.5,2.0,-2.0\n1.0,3.0,-0.003\n',
    "with spaces, empty lines and commas at the ends": "time, a, b,\n0, 1.5, -1,\n\n0.5, 2, -2,\n,,,\n1, 3, -3e-3,\n",
}


@pytest.mark.parametrize("encoding", ("utf-8", "utf-8-sig", "utf-16"))
@pytest.mark.parametrize("kind", SPELLINGS)
def test_csv_files_of_all_spellings(kind, encoding, tmp_path):
    (tmp_path / "run.csv").write_bytes(SPELLINGS[kind].encode(encoding))
    for read in (read_table(tmp_path / "run.csv"), read_result(tmp_path / "run.csv")[0]):
        assert read.names == ("a", "b")
        assert read.time.tolist() == [0.0, 0.5, 1.0]
        assert read.values.tolist() == [[1.5, -1.0], [2.0, -2.0], [3.0, -3e-3]]
    assert read_result(tmp_path / "run.csv")[1] == ()


def test_units_stand_behind_names(tmp_path):
    """Older Windows' letters, too; an element's number and a derivative are not units."""
    (tmp_path / "run.csv").write_bytes(
        "t [h];Höhe [m];Winkel (°);R[1,2];der(x)\n0;1;2;3;4\n1;1;2;3;4\n".encode("cp1252")
    )
    run = read_table(tmp_path / "run.csv")
    assert run.names == ("Höhe", "Winkel", "R[1,2]", "der(x)")
    assert run.units == {"Höhe": "m", "Winkel": "°"}
    assert run.time.tolist() == [0.0, 3600.0]


# What is wrong, what is said of it by both readers, what the lenient one makes of it, and the instants that are left.
FAULTS = {
    "time,a,b\n0,1,inf\n1,nan,2\n2,x,3\n": ("line 2: b is 'inf', expected a finite number", "left out: 3 values of a, b", [0, 1, 2]),
    "time,a\n0,1\n1,2\n0.5,3\n1,4\n2,5\n": ("line 4: time decreases from 1 to 0.5", "left out until it has risen again, 1 rows", [0, 1, 1, 2]),
    "time,a,a\n0,1,2\n1,2,3\n": ("the column 'a' appears twice", "the first one counts", [0, 1]),
    "time,a,b\n0,1,2\n1,2,3\n2,4": ("line 4: has 2 values, expected 3", "it is left out", [0, 1]),
    "time [day],a\n0,1\n1,2\n": ("time is in 'day', expected s", "seconds are assumed", [0, 1]),
    "time,mode,on\n0,idle,true\n1,run,false\n": ("line 2: mode is 'idle', expected a finite number", "left out: 2 values of mode", [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize("text", FAULTS)
def test_faults_are_named_and_what_is_left_is_shown(text, tmp_path):
    words, remedy, left = FAULTS[text]
    path = tmp_path / "run.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(f"{path}: {words}")):
        read_table(path)
    run, said = read_result(path)
    assert said == (f"{path}: {words}; {remedy}",)
    assert run.time.tolist() == left
    assert np.isfinite(run.values).any(axis=0).all()


def test_long_files_are_read_in_blocks(tmp_path):
    """One bad entry far down: its line is named, and all others are there."""
    rows = [f"{i},{i}" for i in range(5000)]
    rows[4321] = "4321,?"
    (tmp_path / "run.csv").write_text("\n".join(["time,a", *rows]))
    run, (words,) = read_result(tmp_path / "run.csv")
    assert "line 4323: a is '?'" in words
    assert np.flatnonzero(np.isnan(run["a"])).tolist() == [4321]
    assert np.nansum(run["a"]) == sum(range(5000)) - 4321


@pytest.mark.parametrize(
    "content, words",
    (
        (b"0,1\n1,2\n", "line 1 begins with '0'; names of columns must come first"),
        (b"x,y\n0,1\n", "has no column 'time'; there are x, y"),
        (bytes(range(256)), "is not a text file"),
        (b"", "needs a line of names and at least one line of numbers; found 0 lines"),
        (b"<html>404</html>\n<p>", "has no column 'time'"),
    ),
)
def test_what_is_no_table_is_refused_in_a_sentence(content, words, tmp_path):
    (tmp_path / "run.csv").write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(f"run.csv: {words}")):
        read_result(tmp_path / "run.csv")


def test_a_damaged_file_beside_a_csv_costs_units_and_origin_alone(tmp_path):
    Result(TIME, ("a",), TIME[:, None], {"a": "m"}, origin={"units": {}}).write(tmp_path / "run.csv")
    for text in ("{", "[]", '{"units": 3}', "[" * 100_000, "\xff"):
        (tmp_path / "run.csv.json").write_text(text, encoding="latin-1")
        run, (words,) = read_result(tmp_path / "run.csv")
        assert (run.units, run.origin) == ({}, {})
        assert words.startswith(f"{tmp_path / 'run.csv.json'}: holds no units")
        assert words.endswith("remove it to read the table without units; it is not used")


@pytest.mark.parametrize(
    "origin, left",
    (
        ('["a"]', {}),
        ('{"units": [1], "spacefmu": "9.9"}', {"spacefmu": "9.9"}),
        ('{"units": {"": 7, "a": {"model": "A.fmu"}}, "more": 1}', {"units": {"a": {"model": "A.fmu"}}, "more": 1}),
        ('{"solver": {"": [1]}, "units": {"": {"values": 3}}}', {"solver": {}, "units": {}}),
    ),
)
def test_of_an_origin_by_another_version_what_is_known_stays(origin, left, tmp_path):
    (tmp_path / "run.csv").write_text("time,a\n0,1\n")
    (tmp_path / "run.csv.json").write_text(f'{{"origin": {origin}}}')
    run, (words,) = read_result(tmp_path / "run.csv")
    assert run.origin == left
    assert "the stored origin can't be read" in words


def letters(words) -> np.ndarray:
    width = max(map(len, words))
    return np.array([list(word.ljust(width)) for word in words])


@pytest.mark.parametrize("turned", (False, True))
def test_trajectories_of_dymola_and_openmodelica(turned, tmp_path):
    """Names are rows of letters, dataInfo says table and signed place; OpenModelica writes all of it transposed."""
    names, info = ("time", "x", "minus", "mass"), [[0, 1, 0, -1], [2, 2, 0, -1], [2, -2, 0, -1], [1, 2, 0, 0]]
    parts = {
        "name": letters(names),
        "dataInfo": np.array(info, float),
        "data_1": np.array([[0.0, 5.0], [1.0, 5.0]]),
        "data_2": np.column_stack([TIME, TIME**2]),
    }
    if turned:
        parts = {key: np.ascontiguousarray(matrix.T) for key, matrix in parts.items()}
    kind = letters(["Atrajectory", "1.1", "", "binTrans" if turned else "binNormal"])
    savemat(tmp_path / "run.mat", {"Aclass": kind, **parts}, format="4")
    run, said = read_result(tmp_path / "run.mat")
    assert (run.names, said) == (names[1:], ())
    assert run.time.tolist() == TIME.tolist()
    assert run.values.tolist() == np.column_stack([TIME**2, -(TIME**2), np.full(5, 5.0)]).tolist()


def test_matlab_files_of_simulink_and_of_people(tmp_path):
    signal = {"values": np.column_stack([TIME, -TIME]), "label": "hub.position", "dimensions": 2}
    savemat(tmp_path / "simulink.mat", {"out": {"time": TIME[:, None], "signals": signal}})
    assert read_table(tmp_path / "simulink.mat").names == ("hub.position[1]", "hub.position[2]")
    savemat(tmp_path / "own.mat", {"tout": TIME, "x": TIME, "gain": 3.0, "note": "hello"})
    run, (words,) = read_result(tmp_path / "own.mat")
    assert run.names == ("x",)
    assert words.endswith("'gain' does not have one number for each of the 5 instants of 'time'; left out: gain")
    savemat(tmp_path / "none.mat", {"a": TIME})
    (tmp_path / "new.mat").write_bytes(
        b"MATLAB 7.3 MAT-file, HDF5 schema 1.00 .".ljust(124) + b"\x00\x02IM" + bytes(900)
    )
    for name, sentence in (("none", "holds no array 'time'"), ("new", r"is a file of MATLAB 7\.3 \(HDF5\)")):
        with pytest.raises(ValueError, match=sentence):
            read_result(tmp_path / f"{name}.mat")


def test_structured_arrays_as_fmpy_gives_them(tmp_path):
    rows = np.zeros(5, [("time", float), ("x", float), ("on", bool), ("v", float, (2,))])
    rows["time"], rows["v"][:, 1] = TIME, TIME
    np.save(tmp_path / "run.npy", rows)
    for source in (rows, tmp_path / "run.npy"):
        run, said = read_result(source)
        assert (run.names, said) == (("x", "on", "v[1]", "v[2]"), ())
        assert run["v[2]"].tolist() == TIME.tolist()


def test_files_that_were_cut_off_are_named(tmp_path):
    run = Result(TIME, ("a", "b"), np.column_stack([TIME, TIME]), {"a": "m"}, origin={"spacefmu": "1"})
    for name in ("run.npz", "run.mat"):
        whole = run.write(tmp_path / name).read_bytes()
        for length in range(0, len(whole) - 1, 97):
            (tmp_path / name).write_bytes(whole[:length])
            with pytest.raises(ValueError, match=re.escape(f"{tmp_path / name}: ")):
                read_result(tmp_path / name)


def test_a_clock_of_another_world_begins_at_zero(tmp_path):
    """Seconds since 1970: pages have single precision, in which all instants of this run would be one."""
    (tmp_path / "run.csv").write_text("time,a\n1763350000.5,1\n1763350001.5,2\n")
    run, (words,) = read_result(tmp_path / "run.csv")
    assert run.time.tolist() == [0.0, 1.0]
    assert words.endswith("run.csv: begins at 1763350000.5 s; shown from there on")


@pytest.mark.parametrize("source", (None, 3, ["run.csv"], np.zeros(3), {"time": TIME}))
def test_what_is_no_result_is_refused_in_a_sentence(source):
    with pytest.raises(
        TypeError, match=r"\w+ is not a result; expected a Result, the name of a file, or a structured array"
    ):
        read_result(source)


def test_a_file_on_which_scipy_crashes_is_refused(tmp_path):
    """Bytes inside its compressed part end SciPy's reader by a segmentation fault: in a process of its own."""
    time = np.linspace(0.0, 1.0, 11)
    names = ("hub.rate", "hub.angle[1]")
    table = Result(time, names, np.column_stack([time**2, np.sin(time)]), dict.fromkeys(names, "rad"))
    path = table.write(tmp_path / "run.mat")
    raw = path.read_bytes()
    path.write_bytes(raw[:280] + b"1e99" + raw[280:])
    with pytest.raises(ValueError, match=r"run\.mat: not a readable \.mat file"):
        read_table(path)
