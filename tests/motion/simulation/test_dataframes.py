"""Motions as tables of pandas and polars: the columns of a saved table, to the last bit."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError


@pytest.fixture(scope="module")
def run():
    return sg.simulate(sg.load("rr"), [0.3, 0.2], time=0.05, dt=0.01, method="rk4", tau=[0.1, 0.2])


def test_columns_are_those_of_the_saved_table(run, tmp_path):
    run.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv") as file:
        assert file.readline().strip().split(",") == list(run.table()) == list(run.columns)
        saved = np.loadtxt(file, delimiter=",")
    np.testing.assert_array_equal(np.column_stack(list(run.table().values())), saved)
    np.testing.assert_array_equal(run.table()["qd:joint2[0]"], run.qd[:, 1])


@pytest.mark.extra
def test_pandas_and_polars_have_them(run):
    for frame in (
        pytest.importorskip("pandas") and run.to_pandas(),
        pytest.importorskip("polars").DataFrame(run.table()),
    ):
        assert tuple(frame.columns) == run.columns
        np.testing.assert_array_equal(frame["q:joint1[0]"].to_numpy(), run.q[:, 0])


def test_without_pandas_one_line_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match=r"pandas is not installed \(pip install pandas\)"):
        run.to_pandas()
