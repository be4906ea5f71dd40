"""`screwgraph excitation`: a motion of a robot or a mechanism from which parameters are identified."""

import json

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.identification.models import MODELS
from screwgraph.motion.simulation import read_trajectory

FEW = ("--period", "2", "--harmonics", "2", "--velocity", "3")


@pytest.mark.parametrize(("name", "kind"), [("rr", "robot"), ("slider_crank", "mechanism")])
def test_what_it_writes_identifies_the_model(command, tmp_path, name, kind):
    """The motion is within its limits, and its torques give back the combinations of the file."""
    motion = tmp_path / "motion.npz"
    said = json.loads(command("excitation", name, *FEW, "-o", motion, "--report", tmp_path / "m.html", "--json").out)
    model, run = sg.load(name), read_trajectory(motion)
    assert said[kind] == name
    assert said["combinations"] == list(sg.base_parameters(model).expressions)
    assert max(said["largest_qd"].values()) == pytest.approx(np.abs(run.qd).max())
    driven = run.qd if kind == "robot" else run.qd[:, list(model.motor_slots)]
    assert np.abs(driven).max() <= 3.0
    np.testing.assert_allclose(run.qd[[0, -1]], 0.0, atol=1e-9)
    found = sg.identify(model, motion)
    nominal = np.concatenate([unknown.nominal for unknown in MODELS[kind](model).law(None, None).unknowns])
    np.testing.assert_allclose(found.base_values, found.base.map @ nominal, rtol=1e-5, atol=1e-6)
    assert (tmp_path / "m.html").read_text().count("image/svg") >= 2


def test_it_says_how_well_the_motion_shows_parameters(command, tmp_path):
    said = command("excitation", "rr", *FEW, "--parameters", "link2", "-o", tmp_path / "motion.csv").out
    assert "4 combinations of parameters of rr, condition" in said
    assert "largest torques (N m, N): joint1" in said


def test_what_is_refused(refused, tmp_path):
    path = tmp_path / "motion.csv"
    assert "no motors" in refused(1, "excitation", "four_bar", "-o", path).err
    assert "no velocity limit" in refused(1, "excitation", "rr", "-o", path).err
    assert "'no'" in refused(1, "excitation", "rr", *FEW, "--parameters", "no", "-o", path).err
    assert "period is -1" in refused(1, "excitation", "rr", "--period", "-1", "-o", path).err
    assert "no table has the suffix" in refused(2, "excitation", "rr", *FEW, "-o", tmp_path / "motion.txt").err
    assert not path.exists()
