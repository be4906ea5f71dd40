"""Motions as tables of pandas and polars: the columns of a saved table, to the last bit."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.simulation import read_trajectory
from tests.motion.simulation.contacts.bodies import free_body


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


def test_tables_have_points_and_forces_of_contacts(tmp_path):
    """A box on four corners: their forces, each in its columns, carry the weight; files hold them to the last bit."""
    corners = [sg.Contact("body", at=(x, y, -0.1), friction=0.5) for x in (-0.1, 0.1) for y in (-0.2, 0.2)]
    run = sg.simulate(free_body(2.0, 0.02), [0, 0, 0.1, 0, 0, 0, 1], time=0.3, dt=1e-3, contacts=corners)
    run.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv") as file:
        names = file.readline().strip().split(",")
        saved = dict(zip(names, np.loadtxt(file, delimiter=",").T, strict=True))
    assert tuple(names) == run.columns
    for i, corner in enumerate(corners):
        point, force = (
            np.stack([saved[f"contact_force:body[{i}].{kind}{axis}"] for axis in "xyz"], axis=1) for kind in "pf"
        )
        np.testing.assert_allclose(point[-1], np.add(corner.at, [0, 0, 0.1]), atol=1e-4)
        np.testing.assert_array_equal(force, run.contact_forces["body"][:, i, 3:])
    weight = sum(saved[f"contact_force:body[{i}].fz"][-2] for i in range(4))
    assert weight == pytest.approx(2.0 * 9.81, rel=1e-4)
    run.save(tmp_path / "run.npz")
    again = read_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.contact_forces["body"], run.contact_forces["body"])
    assert again.columns == run.columns


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
