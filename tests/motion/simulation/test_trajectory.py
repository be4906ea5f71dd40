"""What a simulation returns, and files of it."""

import csv

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation import read_trajectory
from tests.motion.simulation.robots import free_body, pendulum
from tests.oracle import oracle


@pytest.fixture(scope="module")
def run():
    return sg.simulate(free_body(), qd0=np.arange(6.0), time=0.1, dt=0.01, tau=lambda t, q, qd: np.full(6, t))


def test_shapes_and_times(run):
    np.testing.assert_allclose(run.t, np.linspace(0.0, 0.1, 11), rtol=1e-14)
    shapes = [array.shape for array in (run.q, run.qd, run.qdd, run.tau, run.energy, run.work, run.violation)]
    assert shapes == [(11, 7), (11, 6), (11, 6), (11, 6), (11,), (11,), (11,)]
    np.testing.assert_allclose(run.tau[:, 0], run.t)


def test_accelerations_are_those_that_pinocchio_finds_at_the_states(run):
    sample = oracle(run.model)
    expected = [sample.forward_dynamics(*state) for state in zip(run.q, run.qd, run.tau, strict=True)]
    np.testing.assert_allclose(run.qdd, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_array_equal(run.tau, np.tile(run.t[:, None], 6))


def test_a_motion_has_a_length_states_by_number_and_parts(run):
    assert len(run) == len(list(run)) == 11
    for kind, x in run[-1]._asdict().items():
        np.testing.assert_array_equal(x, getattr(run, kind)[-1] if len(getattr(run, kind)) else {})
    part = run[2:9:2]
    np.testing.assert_array_equal(part.t, run.t[2:9:2])
    np.testing.assert_array_equal(part.q, run.q[2:9:2])
    np.testing.assert_allclose(part.energy, run.energy[2:9:2], rtol=1e-14)
    np.testing.assert_allclose(part.at(0.05).q, run.at(0.05).q, rtol=1e-14)
    with pytest.raises(IndexError):
        run[11]
    for nothing in (slice(5, 5), slice(None, None, -1)):
        with pytest.raises(sg.InputError, match="no part of a motion"):
            run[nothing]


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


def torques(t, q, qd):
    return np.array([np.cos(t), 2.0 * t, 0.5, 1.0, -t, 0.3])


def tumbling(dt):
    start = {"qd0": 0.5 * np.arange(6.0), "time": 0.4, "tau": torques}
    return sg.simulate(free_body(), dt=dt, method="dop853", rtol=1e-12, atol=1e-12, **start)


def test_states_between_those_of_a_simulation_are_those_of_a_finer_one():
    fine, errors = tumbling(0.0125), []
    for dt in (0.1, 0.05):
        found = tumbling(dt).at(fine.t)
        assert np.abs(np.linalg.norm(found.q[:, 3:], axis=1) - 1.0).max() < 1e-14
        errors.append([np.abs(getattr(found, name) - getattr(fine, name)).max() for name in ("q", "qd", "qdd")])
    order = np.log2(np.array(errors[0]) / errors[1])  # of positions 6, one less for each derivative
    assert (order > [5.0, 4.0, 3.0]).all()
    assert errors[1][0] < 1e-6


def test_a_single_time_gives_vectors_and_the_motions_own_states(run):
    found = run.at(float(run.t[4]))
    for name in ("q", "qd", "qdd", "tau"):
        assert getattr(found, name).shape == getattr(run, name)[0].shape
        np.testing.assert_allclose(getattr(found, name), getattr(run, name)[4], atol=1e-12)
    with pytest.raises(sg.InputError, match=r"has no state at t = 0.2 s.* from 0 to 0.1 s"):
        run.at([0.05, 0.2])
    with pytest.raises(sg.InputError, match="do not grow"):
        run.resampled([0.05, 0.05])


def test_a_resampled_motion_needs_the_torques_that_caused_it():
    run = tumbling(0.01).resampled(np.linspace(0.003, 0.397, 77))
    expected = [torques(t, None, None) for t in run.t]
    np.testing.assert_allclose(run.tau, expected, atol=0.01**2 / 8)  # linear between samples
    np.testing.assert_allclose(sg.inverse_trajectory(run.model, run).tau, expected, atol=1e-6)
    assert run.energy_drift < 1e-4  # of torques between 77 states


def test_a_mechanisms_motion_needs_the_torques_that_caused_it():
    bar = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(bar, time=0.5, dt=2.5e-3, method="dop853", tau=lambda t, q, qd: [20.0 * np.cos(3.0 * t)])
    other = run.resampled(np.linspace(0.001, 0.499, 250))
    found = sg.inverse_trajectory(bar, other)
    inside = slice(8, -8)  # splines err more at their ends
    np.testing.assert_allclose(found.tau[inside, 0], 20.0 * np.cos(3.0 * other.t[inside]), atol=2e-3)
    assert other.violation.max() < 1e-9


def test_a_motion_of_another_robot_is_refused(run):
    with pytest.raises(sg.InputError, match="a motion of 'free_body', not of 'pendulum'"):
        sg.inverse_trajectory(pendulum(), run)


def test_a_saved_motion_is_read_again(tmp_path):
    run = sg.simulate(sg.load("rr"), qd0=[1.0, -1.0], time=0.1, dt=0.01)
    run.save(tmp_path / "run.npz")
    found = read_trajectory(tmp_path / "run.npz")
    assert repr(found) == "<motion of 'rr' by rk4: 11 states, t = 0 to 0.1 s>"
    times = np.linspace(0.0, 0.1, 31)
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(found.at(times), name), getattr(run.at(times), name))
    np.testing.assert_allclose(found.energy, run.energy, rtol=1e-12)
    np.testing.assert_allclose(found.work, run.work, atol=1e-12)


@pytest.mark.parametrize(
    ("t", "said"),
    [
        ([0.0, 0.2, 0.1], "0.1 s follows on t = 0.2 s: sample 2"),
        ([0.0, 0.1, 0.1], "0.1 s follows on t = 0.1 s: sample 2"),
        ([0.2, 0.1, 0.0], "0.1 s follows on t = 0.2 s: sample 1"),
        ([0.0, np.nan, 0.2], "nan s follows on t = 0 s: sample 1"),
        ([0.0, 0.1, np.inf], "inf s follows on t = 0.1 s: sample 2"),
    ],
    ids=str,
)
def test_times_that_do_not_grow_are_no_motion(t, said, tmp_path):
    robot, x = sg.load("rr"), np.zeros((3, 2))
    with pytest.raises(sg.InputError, match=f"the times of the motion do not grow: t = {said}"):
        sg.Trajectory(robot, "by hand", np.array(t), x, x, x, x)
    good = sg.Trajectory(robot, "by hand", np.arange(3) * 0.1, x, x, x, x)
    good.save(tmp_path / "run.npz")
    arrays = dict(np.load(tmp_path / "run.npz"))
    np.savez(tmp_path / "bad.npz", **{**arrays, "t": np.array(t)})
    with pytest.raises(sg.InputError, match=r"bad\.npz: (the times of the motion do not grow|t is not finite)"):
        read_trajectory(tmp_path / "bad.npz")


@pytest.mark.parametrize("name", ["q", "qd", "qdd", "tau"])
def test_files_with_numbers_that_are_none_are_refused(name, tmp_path):
    robot, x = sg.load("rr"), np.zeros((3, 2))
    sg.Trajectory(robot, "by hand", np.arange(3) * 0.1, x, x, x, x).save(tmp_path / "run.npz")
    arrays = dict(np.load(tmp_path / "run.npz"))
    for value in (np.nan, np.inf):
        np.savez(tmp_path / "bad.npz", **{**arrays, name: np.array([[0.0, 0.0], [0.0, value], [0.0, 0.0]])})
        with pytest.raises(sg.InputError, match=rf"bad\.npz: {name} is not finite"):
            read_trajectory(tmp_path / "bad.npz")
