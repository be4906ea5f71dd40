"""Laws of contacts, beside Pinocchio, finite differences and linear programming."""

from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.planning import Phase, Task, horizon
from screwgraph.motion.planning.contacts import CONTACTS, FlatContact, PointContact, schedule
from screwgraph.motion.planning.contacts.contact_constraints import (
    ContactHeight,
    FootholdError,
    NoSlip,
    ZeroContactAcceleration,
    ZeroContactVelocity,
)
from screwgraph.motion.planning.contacts.foot import Foot
from screwgraph.motion.planning.contacts.friction import Cone, Pyramid, SolePyramid
from screwgraph.motion.planning.contacts.point_contact import CancellingForces
from screwgraph.motion.planning.costs import Path
from screwgraph.motion.planning.goals import Point, Velocity
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.search.receding_horizon import advance_task, is_scheduled
from screwgraph.motion.planning.task_files import read_task
from screwgraph.motion.planning.transcription.problem import transcribe
from screwgraph.tape import Tape, jacobian, program
from tests.motion.planning.contact_checks import Body, is_passed_on, moved

MONOPOD = File(__file__).with_name("monopod.yaml")
SQUARE = ((0.06, 0.03, 0.0), (0.06, -0.03, 0.0), (-0.06, -0.03, 0.0), (-0.06, 0.03, 0.0))
TILTED = (0.6, 0.0, 0.8)


@pytest.fixture(scope="module")
def robot():
    return sg.load(MONOPOD, base="floating")


@pytest.fixture(scope="module")
def mechanics(robot):
    return Mechanics(robot)


@pytest.fixture(scope="module")
def body(robot):
    return Body(robot)


def state(robot, seed=0):
    rng = np.random.default_rng(seed)
    return moved(robot, robot.neutral(), 0.5 * rng.standard_normal(robot.nv)), rng.standard_normal((2, robot.nv))


def value(template, *unknowns, **parameters):
    """Evaluate a template on numbers."""
    return np.asarray(template(*map(np.asarray, unknowns), **parameters), dtype=float).ravel()


FEET = {
    "point": {"points": ((0.0, 0.0, 0.0),)},
    "ball": {"points": ((0.01, 0.0, 0.0),), "radius": 0.02},
    "edge": {"points": SQUARE[:2]},
    "sole": {"points": SQUARE},
    "sole on a slope": {"points": SQUARE, "normal": TILTED},
}


@pytest.fixture(params=FEET)
def foot(request, mechanics):
    return Foot(mechanics, "sole", **FEET[request.param])


def test_heights_are_those_of_the_corners(foot, robot, body):
    q, _ = state(robot)
    T = body.pose(q, "sole")
    n = np.array(foot.normal)
    high = [n @ (T[:3, :3] @ c + T[:3, 3]) - foot.radius for c in foot.corners]
    assert value(ContactHeight(foot), q, ground=0.0) == pytest.approx(high, abs=1e-12)
    assert value(ContactHeight(foot, -1.0), q, ground=0.1) == pytest.approx(0.1 - np.array(high), abs=1e-12)


def test_at_rest_means_that_no_touching_point_moves(foot, robot, body):
    q, (qd, _) = state(robot)
    n = np.array(foot.normal)
    R = body.pose(q, "sole")[:3, :3]
    down = -foot.radius * (R.T @ n)
    wanted = [n @ body.velocity(q, qd, "sole", c) for c in foot.corners]
    sliding = body.velocity(q, qd, "sole", foot.centre + down)
    wanted += list(foot.surface[:, :2].T @ sliding)
    found = value(ZeroContactVelocity(foot, 1e12), q, qd, ground=0.0)
    assert found[: len(wanted)] == pytest.approx(wanted, abs=1e-8)
    assert len(found) == len(wanted) + (len(foot.corners) > 1)


def test_accelerations_are_the_rate_of_velocities(foot, robot):
    q, (qd, qdd) = state(robot)
    rest, step = ZeroContactVelocity(foot, 0.05, has_foothold=True), 1e-4
    at = {"ground": 0.02, "at": np.array([0.1, 0.2, 0.0])}

    def along(t):
        return value(rest, moved(robot, q, t * qd + 0.5 * t * t * qdd), qd + t * qdd, **at)

    rate = (8 * (along(step) - along(-step)) - along(2 * step) + along(-2 * step)) / (12 * step)
    wanted = rate + along(0.0) / 0.05
    assert value(ZeroContactAcceleration(rest), q, qd, qdd, **at) == pytest.approx(
        wanted, abs=1e-6 * np.abs(wanted).max()
    )


def test_slip_over_a_short_time_is_velocity_times_time(foot, robot):
    q, (qd, _) = state(robot)
    step, corners = 1e-5, len(foot.corners)
    slip = value(NoSlip(foot), moved(robot, q, -step * qd), moved(robot, q, step * qd)) / (2 * step)
    assert slip == pytest.approx(value(ZeroContactVelocity(foot, 1e12), q, qd, ground=0.0)[corners:], abs=1e-6)


def test_forces_do_the_work_of_the_points_that_they_act_on(foot, robot, body):
    """The wrench on the frame and the velocities of contact points are dual: powers are equal."""
    q, (qd, _) = state(robot)
    forces = np.random.default_rng(1).standard_normal(3 * len(foot.points))
    T = body.pose(q, "sole")
    wrench = value(lambda f: foot.wrench(T[:3, :3], f), forces)
    down = -foot.radius * (T[:3, :3].T @ np.array(foot.normal))
    work = sum(
        (foot.surface @ forces[3 * i : 3 * i + 3]) @ body.velocity(q, qd, "sole", np.array(p) + down)
        for i, p in enumerate(foot.points)
    )
    v = T[:3, :3].T @ body.velocity(q, qd, "sole", np.zeros(3))
    axes = [T[:3, :3].T @ (body.velocity(q, qd, "sole", e) - T[:3, :3] @ v) for e in np.eye(3)]
    omega = 0.5 * sum(np.cross(e, a) for e, a in zip(np.eye(3), axes, strict=True))
    assert wrench @ np.concatenate([omega, v]) == pytest.approx(work, abs=1e-7)


def test_forces_that_cancel_out_are_told_by_their_coordinates(foot):
    """Oracle: forces made of the basis, turned from the frame to the axes of the surface, and their wrench."""
    R = _turn(np.array([0.5, -0.9, 0.4]))
    wanted = np.random.default_rng(2).standard_normal(foot.cancelling.shape[1])
    in_frame = (foot.cancelling @ wanted).reshape(-1, 3)
    forces = (in_frame @ R.T @ foot.surface).ravel()
    pose = np.eye(4)
    pose[:3, :3] = R
    assert value(CancellingForces(foot), np.zeros(0), pose, forces) == pytest.approx(wanted, abs=1e-12)
    if not foot.radius:
        assert value(lambda f: foot.wrench(R, f), forces) == pytest.approx(0.0, abs=1e-12)


def _turn(turn):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(turn).as_matrix()


def test_a_foothold_is_met_above_its_point(foot, robot, body):
    q, _ = state(robot)
    T = body.pose(q, "sole")
    centre = T[:3, :3] @ foot.centre + T[:3, 3]
    assert value(FootholdError(foot), q, at=centre - 0.3 * np.array(foot.normal)) == pytest.approx(0.0, abs=1e-12)


CONES = {
    "round": (Cone(), 3, {"friction": 0.7}),
    "pyramid": (Pyramid(), 3, {"friction": 0.7}),
    "eight faces": (Pyramid(8), 3, {"friction": 0.7}),
    "sole": (SolePyramid(), 6, {"friction": 0.7, "half_length": 0.1, "half_width": 0.05}),
}


@pytest.mark.parametrize("name", CONES)
def test_a_cone_has_the_jacobian_that_complex_steps_give(name):
    template, size, parameters = CONES[name]
    x = np.random.default_rng(2).standard_normal(size) + 2.0
    tape = Tape(merge="form")
    symbols = tape.inputs("f", (size,))
    rows = jacobian(list(template(symbols, **parameters)), list(symbols))
    J = program(tape, [row.get(j, 0.0) for row in rows for j in range(size)]).evaluate(x.tolist())
    steps = [np.asarray(template(x + 1e-30j * e, **parameters)).ravel().imag / 1e-30 for e in np.eye(size)]
    assert np.reshape(J, (-1, size)) == pytest.approx(np.stack(steps, axis=1), abs=1e-12)


@pytest.mark.parametrize("faces", [3, 4, 8])
def test_a_pyramid_lies_within_the_round_cone_and_touches_it(faces):
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    around = np.stack([np.cos(angles), np.sin(angles), np.full(721, 1.0 / 0.7)])
    worst = np.array([np.max(np.asarray(Pyramid(faces)(f, friction=0.7))) for f in around.T])
    assert worst.min() == pytest.approx(0.0, abs=1e-4)
    assert worst.min() > -1e-12
    assert np.asarray(Cone()(around, friction=0.7)) == pytest.approx(0.0, abs=1e-4), "all round"


def test_the_sole_passes_on_what_forces_at_its_corners_can_make():
    rng = np.random.default_rng(3)
    outcomes = []
    for _ in range(60):
        w = rng.standard_normal(6) * [0.08, 0.15, 0.15, 1.0, 1.0, 0.0] + [0, 0, 0, 0, 0, 5.0]
        rows = np.asarray(SolePyramid()(w, friction=0.8, half_length=0.1, half_width=0.05), dtype=float)
        outcomes.append(bool((rows <= 0.0).all()))
        assert outcomes[-1] == is_passed_on(w, 0.2, 0.1, 0.8)
    assert 10 < sum(outcomes) < 50


FLAT = FlatContact("sole", 0.1, 0.05)


def standing(robot):
    q = robot.neutral()
    q[7:] = [0.0, 0.6, -1.2, 0.6]
    q[2] = 2 * 0.25 * np.cos(0.6) + 0.04
    return q


def complaint(robot, contacts, phases=None, **fields):
    fields = {"start": standing(robot)} | fields
    with pytest.raises(InputError) as caught:
        transcribe(Task(robot, phases or horizon(2, dt=0.02), contacts=contacts, **fields))
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_what_contacts_cannot_be_is_told_in_a_line(robot):
    assert "is in contact, but 0.1 m below" in complaint(robot, (PointContact("sole", ground=0.1),))
    assert "away from its foothold" in complaint(robot, (PointContact("sole", at=(0.5, 0.0, 0.0)),))
    in_the_air = standing(robot) + np.eye(robot.nq)[2] * 0.3
    assert "contact 1: at t = 0 s the foot 'sole' is in contact, but 0.3 m above" in complaint(
        robot, (FLAT,), start=in_the_air
    )
    assert complaint(robot, (PointContact("toe"),)) == "contact 1: no frame is called 'toe' (did you mean sole?)"
    assert "friction of 'sole' is nan: it must be positive" in complaint(
        robot, (PointContact("sole", friction=np.nan),)
    )
    assert "points of 'sole': 'abc': they are not numbers" in complaint(robot, (PointContact("sole", points="abc"),))
    assert "radius of 'sole': 'wide': they are not numbers" in complaint(robot, (PointContact("sole", radius="wide"),))
    assert "footholds of 'sole': 'here'" in complaint(robot, (PointContact("sole", at="here"),))
    assert "friction of 'sole' is 0" in complaint(robot, (PointContact("sole", friction=0.0),))
    assert "friction of 'sole' is -1" in complaint(robot, (FlatContact("sole", 0.1, 0.05, friction=-1.0),))
    assert "width of 'sole' is 0" in complaint(robot, (FlatContact("sole", 0.1, 0.0),))
    assert "there is no phase 'walk'" in complaint(robot, (PointContact("sole", phases=["walk"]),))
    assert "phases are numbered 0..0" in complaint(robot, (PointContact("sole", phases=[3]),))
    assert "number of touchdowns: 1" in complaint(robot, (PointContact("sole", at=np.zeros((2, 3))),))
    assert "normal" in complaint(robot, (PointContact("sole", normal=(0, 0, 0)),))
    assert "a pyramid of 2 faces" in complaint(robot, (PointContact("sole", faces=2),))
    assert "cone 'cube'" in complaint(robot, (PointContact("sole", cone="cube"),))
    assert "level 'jerk'" in complaint(robot, (PointContact("sole", level="jerk"),))


def test_a_schedule_that_does_not_fill_the_horizon_is_refused():
    phases = (Phase(2, 0.1, "a"), Phase(2, 0.1, "b"))
    with pytest.raises(InputError, match="does not fill the horizon: it has 3 marks for 2 phases"):
        schedule(phases, {"sole": "x-x"})
    with pytest.raises(InputError, match="'y' is not a mark"):
        schedule(phases, {"sole": "xy"})
    (contact,) = schedule(phases, {"sole": "-x"}, friction={"sole": 0.3})
    assert (contact.phases, contact.friction) == ((1,), 0.3)


def scheduled(robot):
    phases = (Phase(4, 0.4, "push"), Phase(3, 0.3, "flight", shortest=0.15, longest=0.6), Phase(5, 0.5, "land"))
    ways = (Path((0.1, 0.3, 0.5), [[0, 0, 0.5], [0.2, 0, 0.5], [0.2, 0, 0.6]], "trunk"),)
    goals = (Point("trunk", [0.1, 0.0, 0.5], 0.3), Point("trunk", [0.1, 0.0, 0.5], (0.3, 0.6)), Velocity(0.0))
    contact = PointContact("sole", phases=["push", "land"], at=[[0, 0, 0], [0.2, 0, 0]])
    return Task(robot, phases, start=standing(robot), goals=goals, costs=ways, contacts=(contact,))


def test_corners_of_a_sole_are_half_its_sides_from_its_centre(robot):
    contact = FlatContact("sole", 0.1, 0.06, centre=(0.03, -0.01, 0.0))
    steps = transcribe(Task(robot, horizon(2, dt=0.02), start=standing(robot), contacts=(FLAT,))).steps
    (held,) = (f for f in contact.factors(steps, "foot") if f.name == "foot: no slip")
    corners = np.array(sorted(held.template.foot.points)) - [0.03, -0.01, 0.0]
    signs = np.array([(-1, -1, 0), (-1, 1, 0), (1, -1, 0), (1, 1, 0)])
    np.testing.assert_allclose(corners, signs * [0.05, 0.03, 0.0], atol=1e-15)


def test_a_schedule_comes_nearer_with_its_footholds_goals_and_paths(robot):
    task = scheduled(robot)
    assert is_scheduled(task)
    soon = advance_task(task, 2, 0.2)
    assert [(p.name, p.steps, round(p.duration, 9)) for p in soon.phases] == [
        ("push", 2, 0.2), ("flight", 3, 0.3), ("land", 7, 0.7)
    ]  # fmt: skip
    assert [g.time for g in soon.goals] == [0.1, (0.1, 0.4), "end"]
    assert soon.costs[0].times == pytest.approx([0.0, 0.1, 0.3])
    assert soon.costs[0].points == pytest.approx(np.array([[0.1, 0, 0.5], [0.2, 0, 0.5], [0.2, 0, 0.6]]))
    later = advance_task(task, 6, 0.6)
    assert [(p.name, p.steps) for p in later.phases] == [("flight", 1), ("land", 11)]
    assert (later.phases[0].shortest, later.phases[0].longest) == pytest.approx((0.05, 0.2))
    assert [g.time for g in later.goals] == ["end"]
    assert not later.costs
    (contact,) = later.contacts
    assert contact.phases == (1,)
    assert np.array(contact.at) == pytest.approx(np.array([[0.2, 0, 0]]))
    assert not is_scheduled(advance_task(task, 8, 0.8))


def test_a_schedule_may_end_with_a_foot_in_the_air(robot):
    task = scheduled(robot)
    task = replace(task, contacts=(PointContact("sole", phases=["push"]),))
    assert len(advance_task(task, 3, 0.3).contacts) == 1
    assert advance_task(task, 5, 0.5).contacts == ()


def test_all_kinds_are_read_from_files(tmp_path, robot):
    text = "{frame: sole, length: 0.1, width: 0.05, phases: [go], friction: 0.5, at: [[0, 0, 0]]}"
    file = tmp_path / "task.yaml"
    (tmp_path / "monopod.yaml").write_bytes(MONOPOD.read_bytes())
    head = "robot: {file: monopod.yaml, base: floating}\nphases: [{name: go, steps: 2, duration: 0.1}]\n"
    file.write_text(
        f"{head}contacts:\n  - flat: {text}\n  - point: {{frame: sole, radius: 0.02, cone: round}}\n"
        "  - axle: {frame: sole}\n"
    )
    flat, point, axle = read_task(file).contacts
    assert axle.frame == "sole"
    assert (flat.length, flat.phases, point.radius, point.cone) == (0.1, ("go",), 0.02, "round")
    assert set(CONTACTS) == {"flat", "point", "axle"}
    file.write_text(f"{head}contacts:\n  - point: {{frame: knee_cap}}\n")
    with pytest.raises(ModelError, match=r"task.yaml:4.*knee_cap"):
        read_task(file)
