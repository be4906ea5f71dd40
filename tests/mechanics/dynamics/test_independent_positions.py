"""Functions of independent positions, against positions completed by Newton's method in Python, and differences."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.completion import Completion
from screwgraph.model.robot import (
    Coupling,
    Operation,
    Position,
    Robot,
    constraint_jacobian,
    constraint_residual,
    independent_coordinates,
    tree,
)
from screwgraph.spatial.manifolds import product
from tests.agreement import interpreted
from tests.robots import robot_file

TELLO = Path(__file__).resolve().parents[3] / "examples" / "chignoli_2023_tello.yaml"
HIP = ("left_hip_roll", "left_hip_pitch", "left_hip_rotor_1", "left_hip_rotor_2")
REGULAR = 0.01
"""Smallest singular value, as a part of the largest, of the dependent columns of K at which answers are compared."""


class Case(NamedTuple):
    """A closed robot, closed positions of it (N, nq), and guesses beside them."""

    robot: Robot
    q: np.ndarray
    guess: np.ndarray

    @property
    def y(self) -> np.ndarray:
        """The independent positions."""
        return self.q[:, Completion(self.robot).independent]

    @property
    def guesses(self) -> tuple[np.ndarray, ...]:
        """The last argument of functions that take one."""
        return (self.guess,) if Completion(self.robot).takes_guess else ()


@cache
def hip() -> Robot:
    """Return a hip of Tello on the pelvis: roll and pitch tied to two motors by rows a sin(y) + b cos(y) = c."""
    tello = sg.load(TELLO)
    joints = [j for j in tello.joints if j.name in HIP]
    links = [link for link in tello.links if link.name in {"left_hip_clamp", *(j.child for j in joints)}]
    couplings = [c for c in tello.couplings if set(c.joints) <= set(HIP)]
    motors = [name for name in HIP if "rotor" in name]
    return tree("hip", links, joints, couplings=couplings, independent=motors)


@cache
def case(name: str, *independent: str) -> Case:
    """Return a closed robot with positions far from singular, completed from guesses 0.04 away."""
    robot = hip() if name == "hip" else sg.load(name if "." not in name else robot_file(name))
    robot = robot.with_independent_joints(independent) if independent else robot
    rng, places, found = np.random.default_rng(2), Completion(robot).independent, []
    chosen = independent_coordinates(robot)
    dependent = np.setdiff1d(np.arange(robot.nv), chosen)
    step = np.zeros(robot.nv)
    for guess in robot.mobility.states:
        step[chosen] = rng.uniform(-0.04, 0.04, len(chosen))
        q = robot.complete(robot.manifold.retract(guess, step)[places], guess)
        sizes = [np.linalg.svd(_kept(robot, x)[:, dependent], compute_uv=False) for x in (guess, q)]
        if min(s.min() / s.max() for s in sizes) > REGULAR:
            found.append((q, guess))
    assert found, "no regular state"
    q, guess = (np.array(values) for values in zip(*found, strict=True))
    return Case(robot, q, guess)


def _kept(robot: Robot, q: np.ndarray) -> np.ndarray:
    return constraint_jacobian(robot, q)[list(robot.mobility.kept)]


CASES = {
    "five_bar": ("five_bar",),
    "five bar by other joints": ("five_bar", "joint1", "joint3"),
    "four_bar_linkage": ("four_bar_linkage",),
    "belt_leg": ("belt_leg",),
    "differential": ("differential",),
    "six_bar": ("six_bar.urdf",),
    "hip by its motors": ("hip",),
    "hip by its joints": ("hip", "left_hip_roll", "left_hip_pitch"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(3)
def test_positions_are_those_that_newtons_method_finds_in_python(name):
    robot, q, _ = known = case(*CASES[name])
    f = sg.closed_positions(robot)
    found = f(known.y, *known.guesses)
    np.testing.assert_allclose(found, q, rtol=0.0, atol=1e-9)
    assert max(np.abs(constraint_residual(robot, x)).max() for x in found) < 1e-9


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("differential", {"Linear"}),
        ("belt_leg", {"Linear"}),
        ("five_bar", {"TwoCircles"}),
        ("four_bar_linkage", {"TwoCircles"}),
        ("six_bar", {"TwoCircles"}),
        ("hip by its motors", {"Newton"}),
        ("hip by its joints", {"ScalarRow"}),
    ],
)
@pytest.mark.sampled(3)
def test_loops_that_have_closed_forms_take_them(name, kinds):
    robot = case(*CASES[name]).robot
    assert {type(solution).__name__ for _, solution in Completion(robot).solutions} == kinds
    assert ("guess" in [a.name for a in sg.closed_positions(robot).arguments]) == (kinds != {"Linear"})


def slider_crank(tmp_path: Path, independent: str) -> Robot:
    """Return a crank of 0.3 m, a rod of 0.5 m and a slider along x."""
    file = tmp_path / "slider.yaml"
    file.write_text(
        "name: slider\n"
        "base: {link: ground}\n"
        "bodies:\n"
        "  - {link: crank, joint: crank, parent: ground, axis: y, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
        "  - {link: rod, joint: pin, parent: crank, axis: y, at: [0.3, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
        "  - {link: slider, joint: slide, parent: ground, type: prismatic, axis: x, at: [0.8, 0, 0], mass: 1}\n"
        "loops:\n"
        "  - {loop: wrist, axis: y, predecessor: {link: rod, at: [0.5, 0, 0]}, successor: {link: slider}}\n"
        f"independent: [{independent}]\n"
    )
    return sg.load(file)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_slider_crank_has_its_closed_form(tmp_path, sign):
    """Norton (2012), section 4.6: x = a cos(theta) +- sqrt(b^2 - a^2 sin^2(theta))."""
    robot = slider_crank(tmp_path, "crank")
    theta = np.linspace(-1.0, 1.0, 7)
    angle = np.arcsin(0.6 * np.sin(theta))
    pin = -theta - (angle if sign > 0 else np.pi - angle)
    guess = np.stack([theta, pin + 0.1, np.full(7, -0.2 if sign > 0 else -1.1)], axis=1)
    q = sg.closed_positions(robot)(theta[:, None], guess)
    # the axis y turns x towards -z; the slider's zero is 0.8 m along x
    expected = 0.3 * np.cos(theta) + sign * np.sqrt(0.25 - 0.09 * np.sin(theta) ** 2) - 0.8
    np.testing.assert_allclose(q[:, 2], expected, atol=1e-14)
    assert [(type(s).__name__, s.takes_guess) for _, s in Completion(robot).solutions] == [
        ("ScalarRow", True),
        ("ScalarRow", False),
    ]


def test_beyond_the_reach_of_a_loop_there_is_no_number(tmp_path):
    robot = slider_crank(tmp_path, "slide")
    f, guess = sg.closed_positions(robot), robot.complete([-0.1], [0.5, -1.0, -0.1])
    with pytest.warns(RuntimeWarning, match="at 1 of 2 states.*no closed position was found.*independent joints"):
        found = f([[-0.1], [0.1]], guess)  # 0.9 m is more than both bars
    np.testing.assert_allclose(found[0], guess, atol=1e-12)
    assert np.isnan(found[1]).any()


def test_newtons_steps_that_do_not_converge_give_no_number():
    known = case("hip")
    f = sg.forward_dynamics(known.robot, coordinates="independent", positions="independent", ordering="embedding")
    with pytest.warns(RuntimeWarning, match="no closed position was found"):
        assert np.isnan(f(known.y[0] + 20.0, [0.0, 0.0], [0.0, 0.0], known.guess[0])).all()


def functions(robot: Robot, **options: Any) -> list[sg.Function]:
    """Return every query of a robot."""
    ordered = {"coordinates": "independent", "ordering": "embedding", **options}
    rest = {name: value for name, value in ordered.items() if name != "ordering"}
    return [
        sg.forward_dynamics(robot, **ordered),
        sg.inverse_dynamics(robot, **ordered),
        sg.hybrid_dynamics(robot, robot.independent_joints[:1], **ordered),
        sg.bias_forces(robot, **ordered),
        sg.mass_matrix(robot, **rest),
    ]


@pytest.mark.parametrize("name", ["five_bar", "differential"])
@pytest.mark.sampled(2)
def test_every_query_agrees_with_its_function_of_all_positions(name):
    known = case(*CASES[name])
    rates = np.random.default_rng(3).normal(size=(2, len(known.q), len(independent_coordinates(known.robot))))
    for plain, f in zip(functions(known.robot), functions(known.robot, positions="independent"), strict=True):
        more = rates[: len(plain.arguments) - 1]
        found, expected = interpreted(f, known.y, *more, *known.guesses), interpreted(plain, known.q, *more)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["five_bar", "differential", "hip by its motors"])
@pytest.mark.sampled(3)
def test_derivatives_are_those_along_closed_positions(name):
    known = case(*CASES[name])
    n = len(independent_coordinates(known.robot))
    qd, tau = np.random.default_rng(4).normal(size=(2, len(known.q), n))
    f = sg.forward_dynamics(known.robot, coordinates="independent", positions="independent", ordering="embedding")
    by_q, by_tau = f.jacobian("q", "tau")(known.y, qd, tau, *known.guesses)
    np.testing.assert_allclose(by_q, _differences(f, known, qd, tau), rtol=1e-5, atol=1e-6 * np.abs(by_q).max())
    unit = [f(known.y, qd, tau + e, *known.guesses) - f(known.y, qd, tau, *known.guesses) for e in np.eye(n)]
    np.testing.assert_allclose(by_tau, np.stack(unit, axis=-1), rtol=1e-8, atol=1e-8 * np.abs(by_tau).max())
    q = sg.closed_positions(known.robot)
    np.testing.assert_allclose(q.jacobian("q")(known.y, *known.guesses), _differences(q, known), rtol=1e-6, atol=1e-7)


def _differences(f: sg.Function, known: Case, *rest: np.ndarray) -> np.ndarray:
    space, h, columns = product(f.arguments[0].spaces), 1e-6, []
    for unit in np.eye(space.dim):
        ends = [
            f(np.array([space.retract(y, sign * h * unit) for y in known.y]), *rest, *known.guesses)
            for sign in (1.0, -1.0)
        ]
        columns.append((ends[0] - ends[1]) / (2.0 * h))
    return np.stack(columns, axis=-1)


def test_second_derivatives_are_those_of_first_ones():
    known = case("four_bar_linkage")
    q = sg.closed_positions(known.robot)
    slope, bend = q.jacobian("q"), q.jacobian("q").jacobian("q")
    found = bend(known.y, *known.guesses)
    np.testing.assert_allclose(found, _differences(slope, known), rtol=1e-5, atol=1e-6 * np.abs(found).max())


def test_a_floating_base_goes_with_the_independent_positions():
    leg = sg.load(robot_file("six_bar.urdf"), base="floating")
    assert leg.nq - len(Completion(leg).independent) == 2
    guess = np.concatenate([[0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0], case("six_bar.urdf").guess[0]])
    y = guess[Completion(leg).independent]
    found = sg.closed_positions(leg)(y, guess)
    np.testing.assert_allclose(found, guess, atol=1e-9)
    y[6] = 2.0
    with pytest.raises(sg.InputError, match="has the length 2"):
        sg.closed_positions(leg)(y, guess)


def test_couplings_that_are_linear_in_one_joint_only_are_solved_for_it():
    arm = sg.load("rr")
    coupled = Coupling("wave", {"joint2": 2.0}, 0.1, Operation("sin", (Position("joint1"),)))
    robot = tree("wave", list(arm.links), list(arm.joints), couplings=[coupled], independent=["joint1"])
    y = np.linspace(-2.0, 2.0, 5)[:, None]
    q = sg.closed_positions(robot)
    assert [a.name for a in q.arguments] == ["q"]
    np.testing.assert_allclose(q(y)[:, 1:], (0.1 - np.sin(y)) / 2.0, atol=1e-15)


@pytest.fixture(scope="module", name="forward")
def forward_of_five_bar() -> sg.Function:
    return sg.forward_dynamics(
        case("five_bar").robot, coordinates="independent", positions="independent", ordering="embedding"
    )


def test_batches_broadcast_and_numbers_may_be_narrow(forward):
    known, (qd, tau) = case("five_bar"), np.random.default_rng(6).normal(size=(2, 4, 1, 2))
    found = forward(known.y, qd, tau, known.guess[0])
    assert found.shape == (4, len(known.y), 2)
    for i in range(4):
        for k, y in enumerate(known.y):
            np.testing.assert_allclose(found[i, k], forward(y, qd[i, 0], tau[i, 0], known.guess[0]), rtol=1e-12)
    narrow = forward.astype("float32")(known.y, qd, tau, known.guess)
    np.testing.assert_allclose(
        narrow, forward(known.y, qd, tau, known.guess), rtol=1e-3, atol=1e-3 * np.abs(narrow).max()
    )


def test_newtons_steps_converge_in_narrow_numbers():
    known = case("hip")
    f = sg.closed_positions(known.robot)
    np.testing.assert_allclose(f.astype("float32")(known.y, known.guess), f(known.y, known.guess), atol=1e-4)


def test_casadi_and_pickles_agree(forward):
    known, (qd, tau) = case("five_bar"), np.random.default_rng(6).normal(size=(2, 2))
    state = (known.y[0], qd, tau, known.guess[0])
    np.testing.assert_allclose(np.array(forward.casadi(*state))[:, 0], forward(*state), rtol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(forward))(*state), forward(*state))


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
@pytest.mark.parametrize("name", ["five_bar", "hip"])
def test_c_code_agrees_with_machine_code(name, tmp_path):
    known = case(name)
    f = sg.closed_positions(known.robot)
    source, library = tmp_path / "code.c", tmp_path / "code.so"
    source.write_text(f.c_source())
    subprocess.run(["gcc", "-std=c99", "-O0", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    by_c = getattr(ctypes.CDLL(str(library)), f.name)
    state, found = [np.ascontiguousarray(x[0]) for x in (known.y, known.guess)], np.empty(known.robot.nq)
    by_c(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*state, found)))
    np.testing.assert_allclose(found, f(*state), rtol=1e-10, atol=1e-12)


def test_where_a_pivot_vanishes_another_order_answers_in_the_same_arguments():
    known, (qd, tau) = case("five_bar"), np.random.default_rng(7).normal(size=(2, 2))
    f = sg.forward_dynamics(known.robot, coordinates="independent", positions="independent")
    assert f.origin.vanished is not None
    other, state = f.origin.vanished.answering, (known.y[0], qd, tau, known.guess[0])
    assert isinstance(other, sg.Function)
    assert other.ordering != f.ordering
    np.testing.assert_allclose(other(*state), f(*state), rtol=1e-9)
    columns = {
        name: x[None] for a, x in zip(f.arguments, state, strict=True) for name, x in zip(a.names, x, strict=True)
    }
    assert f.origin.vanished.admits(columns).tolist() == [True]


@pytest.mark.suite
def test_forward_kinematics_of_a_stewart_platform_is_one_block():
    """18 coordinates follow from six legs; of nearly singular guesses some give no number, but none a wrong one."""
    known = case("stewart_gough")
    ((block, solution),) = Completion(known.robot).solutions
    assert len(block.coordinates) == 18
    assert type(solution).__name__ == "Newton"
    with np.errstate(invalid="ignore"):
        found = sg.closed_positions(known.robot)(known.y, known.guess)
    is_number = np.isfinite(found).all(axis=1)
    assert is_number.any()
    assert max(np.abs(constraint_residual(known.robot, x)).max() for x in found[is_number]) < 1e-9


def test_in_a_tree_positions_are_what_they_are():
    arm = sg.load("rr")
    x = np.random.default_rng(1).normal(size=(3, 2))
    f = sg.forward_dynamics(arm, positions="independent")
    np.testing.assert_array_equal(f(*x), sg.forward_dynamics(arm)(*x))
    np.testing.assert_array_equal(sg.closed_positions(arm)(x[0]), x[0])


@pytest.mark.parametrize("make", [sg.inverse_dynamics, sg.forward_dynamics, sg.bias_forces, sg.mass_matrix])
def test_positions_have_two_names(make):
    with pytest.raises(sg.InputError, match="there are no positions 'minimal' "):
        make(case("five_bar").robot, positions="minimal")
    with pytest.raises(sg.InputError, match="there are no positions 'minimal' "):
        make(sg.load_mechanism("four_bar"), positions="minimal")
    with pytest.raises(sg.InputError, match="expected a robot or a mechanism, got str"):
        sg.closed_positions("five_bar")  # pyright: ignore[reportArgumentType]
