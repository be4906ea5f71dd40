"""What a simulation returns, and files of it."""

import csv

import numpy as np
import pytest

import screwgraph as sg
from tests.simulation.robots import free_body, pendulum


@pytest.fixture(scope="module")
def run():
    return sg.simulate(free_body(), qd0=np.arange(6.0), time=0.1, dt=0.01, tau=lambda t, q, qd: np.full(6, t))


def test_shapes_and_times(run):
    np.testing.assert_allclose(run.t, np.linspace(0.0, 0.1, 11), rtol=1e-14)
    shapes = [array.shape for array in (run.q, run.qd, run.qdd, run.tau, run.energy, run.work, run.violation)]
    assert shapes == [(11, 7), (11, 6), (11, 6), (11, 6), (11,), (11,), (11,)]
    np.testing.assert_allclose(run.tau[:, 0], run.t)


def test_accelerations_are_those_of_the_states(run):
    np.testing.assert_allclose(run.qdd, sg.forward_dynamics(run.model)(run.q, run.qd, run.tau))


def test_a_csv_table_has_names_and_all_digits(run, tmp_path):
    path = tmp_path / "a run.csv"
    run.save(path)
    with path.open(newline="") as file:
        names, *rows = csv.reader(file)
    table = np.array(rows, dtype=float)
    assert tuple(names) == run.columns
    assert names[:2] == ["t", "q:free[0]"]
    np.testing.assert_array_equal(table[:, 1:8], run.q)
    np.testing.assert_array_equal(table[:, names.index("energy")], run.energy)


def test_an_npz_file_has_arrays_by_name(run, tmp_path):
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as arrays:
        for name in ("t", "q", "qd", "qdd", "tau", "energy", "work", "violation"):
            np.testing.assert_array_equal(arrays[name], getattr(run, name))
        assert tuple(arrays["columns"]) == run.columns
        assert arrays["method"] == "rk4"


def test_joints_with_odd_names_stay_apart_in_a_table(tmp_path):
    robot = pendulum()
    odd = sg.robot.tree("odd", robot.links, [_renamed(robot.joints[0], 'a, "b"')])
    sg.simulate(odd, time=0.01).save(tmp_path / "odd.csv")
    with (tmp_path / "odd.csv").open(newline="") as file:
        assert next(csv.reader(file))[1] == 'q:a, "b"[0]'


def _renamed(joint, name):
    from dataclasses import replace

    return replace(joint, name=name)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("run.txt", "no table has the suffix '.txt' .*csv"),
        ("run", "no table has the suffix ''"),
        ("nowhere/run.csv", "there is no folder"),
        ("folder.csv", "it is a folder"),
        (7, "7 is not a path"),
    ],
)
def test_paths_that_cannot_be_written_are_refused(run, path, complaint, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(sg.InputError, match=complaint):
        run.save(path if path == 7 else tmp_path / path)


def test_work_of_efforts_and_losses_of_dampers_explain_the_energy():
    swinging = pendulum(damping=0.7)
    run = sg.simulate(swinging, [1.0], time=3.0, tau=lambda t, q, qd: [3.0 * np.sin(4.0 * t) - 2.0 * qd[0]])
    assert np.ptp(run.energy) > 1.0
    assert run.energy_drift < 1e-9


def test_losses_are_not_hidden():
    run = sg.simulate(pendulum(damping=0.7), [1.0], time=3.0)
    assert run.work[-1] < -1.0
    assert (np.diff(run.energy) <= 1e-12).all()


def test_few_states_have_work_too():
    for steps in (1, 2, 3):
        run = sg.simulate(pendulum(), [1.0], [0.3], time=1e-3 * steps, tau=[2.0])
        assert run.energy_drift < 1e-6
