"""The protocol of models: robots and mechanisms answer the same questions in the same words."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics import mechanism as dynamics
from screwgraph.mechanics.kinematics import mechanism as kinematics
from screwgraph.model import STATES, Model
from screwgraph.model.robot import link_poses

MODELS = {
    "tree": lambda: sg.load("panda"),
    "floating": lambda: sg.load("a1", base="floating"),
    "closed": lambda: sg.load("five_bar"),
    "mechanism": lambda: sg.load("four_bar_angle"),
}


@pytest.fixture(params=MODELS)
def model(request) -> Model:
    return MODELS[request.param]()


def test_every_answer_has_as_many_entries_as_the_model_has_coordinates_and_efforts(model):
    sizes = dict(zip(STATES, (model.nq, model.nv, model.nv, len(model.effort_limits)), strict=True))
    assert {kind: len(found) for kind, found in model.columns.items()} == sizes
    assert (model.manifold.shape, model.manifold.dim) == ((model.nq,), model.nv)
    assert (len(model.owners), len(model.drivers)) == (model.nv, sizes["tau"])
    assert model.neutral().shape == (model.nq,)
    assert not model.manifold.is_off(model.neutral()[None]).any()


def test_a_floating_base_is_labelled_by_its_pose_and_its_twist():
    found = sg.load("a1", base="floating").columns
    pose = [f"base {name}" for name in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    assert [c.label for c in found["q"][:8]] == [*pose, "FR_hip_joint"]
    for kind in ("qd", "qdd", "tau"):
        assert [c.label for c in found[kind][:6]] == [f"base {name}" for name in ("wx", "wy", "wz", "vx", "vy", "vz")]
    assert [c.name for c in found["q"][:2]] == ["floating_base[0]", "floating_base[1]"]


def test_a_place_on_a_link_is_where_its_pose_puts_it():
    robot = sg.load("panda")
    q = np.array([robot.neutral() + 0.1, robot.neutral() - 0.2])
    T = [link_poses(robot, state)["panda_link7"] for state in q]
    np.testing.assert_allclose(robot.locate(q, "panda_link7", (0.1, 0.2, 0.3)), [t[:3] @ [0.1, 0.2, 0.3, 1] for t in T])
    assert robot.locate(q[:0], "panda_link7", None).shape == (0, 3)


def test_every_layer_knows_the_same_kinds():
    from screwgraph.mechanics.kinematics.inverse import models as inverse
    from screwgraph.model.load import TEXTS
    from screwgraph.motion.estimation.initial_guess import UNKNOWNS
    from screwgraph.motion.estimation.inverse_trajectory import FOLLOWERS
    from screwgraph.motion.estimation.smoothing_simulation import WINDOWS
    from screwgraph.motion.planning import models as planning
    from screwgraph.motion.simulation import DYNAMICS
    from screwgraph.ui.draw.graphs_over_time import MOTION_GRAPHS
    from screwgraph.ui.view.trajectories import SCENES

    registries = (TEXTS, DYNAMICS, UNKNOWNS, FOLLOWERS, WINDOWS, inverse.MODELS, planning.MODELS, MOTION_GRAPHS, SCENES)
    for registry in registries:
        assert set(registry) == {"robot", "mechanism"}, registry


@pytest.mark.parametrize("answers", [dynamics.ANSWERS, kinematics.ANSWERS], ids=["dynamics", "kinematics"])
def test_a_kind_of_model_answers_queries_in_its_own_way(monkeypatch, answers):
    class Counter(sg.Robot):
        kind = "counter"

    own = {name: lambda model, *names, **options: (model.kind, names, options) for name in answers["mechanism"]}
    monkeypatch.setitem(answers, "counter", own)
    robot = sg.load("rr")
    counter = Counter(**{field.name: getattr(robot, field.name) for field in fields(robot)})
    for name in own.keys() - {"neutral", "random"}:  # which return arrays
        names = {"hybrid_dynamics": (["joint1"],)}.get(name, ("link2",) if name.startswith("frame") else ())
        assert getattr(sg, name)(counter, *names, dtype="float32") == ("counter", names, {"dtype": "float32"})
        assert isinstance(getattr(sg, name)(robot, *names), sg.Function)


def test_what_has_no_frames_is_named_by_its_kind_where_robots_are_asked_for():
    with pytest.raises(sg.InputError, match="expected a robot, got the mechanism 'four_bar'"):
        sg.kinematics_graph(sg.load("four_bar"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(sg.InputError, match="expected a robot or a mechanism, got int 3"):
        sg.forward_dynamics(3)  # pyright: ignore[reportArgumentType]
